"""What one step of a scheduler counts that is one of several, or whose horizon is a share of the epochs (LL201, LL202)."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from torch import optim


def train(args, items):
    net = nn.Linear(2, 2)
    optimizer = optim.Adam(net.parameters(), lr=args.lr)
    loader = torch.utils.data.DataLoader(items, shuffle=True)
    {built}
    for epoch in range(args.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
            {batch}
        {epoch}
"""
STEP = "scheduler.step()"
SHARES = "scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[int(m * args.epochs) for m in args.milestones])"
DIVIDED = "scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=args.epochs // args.lr_step_numsteps)"
RATE = "scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=args.gamma)"
CYCLE = "scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=args.epochs * len(loader))"


def either(*choices: str) -> str:
    branches = [f'{"elif" if n else "if"} args.schedule == "{n}":\n        {choice}\n    ' for n, choice in enumerate(choices)]
    return "".join(branches) + "else:\n        raise ValueError()"


EPOCHS = {
    "shares of the epochs": SHARES,
    "shares in another order": "scheduler = optim.lr_scheduler.MultiStepLR(optimizer, [args.epochs * share for share in (0.5, args.last)])",
    "divided by a number of steps": DIVIDED,
    "one of several, of which one tells nothing": either(RATE, DIVIDED, SHARES),
    "one of two": either(SHARES, RATE),
}
UNKNOWN = {
    "epochs times something": "scheduler = optim.lr_scheduler.MultiStepLR(optimizer, [e * args.each for e in args.milestone_epochs])",
    "a product that is divided": "scheduler = optim.lr_scheduler.StepLR(optimizer, args.epochs * args.each // args.every)",
    "one that counts batches beside it": either(SHARES, CYCLE),
    "nothing tells": RATE,
}


@pytest.mark.parametrize("case", EPOCHS)
def test_a_step_on_every_batch(case: str) -> None:
    assert_marked(PROGRAM.format(built=EPOCHS[case], batch=f"{STEP}  # expect: LL201", epoch="pass"))


@pytest.mark.parametrize("case", EPOCHS)
def test_a_step_once_an_epoch(case: str) -> None:
    assert_marked(PROGRAM.format(built=EPOCHS[case], batch="pass", epoch=STEP))


@pytest.mark.parametrize("case", UNKNOWN)
def test_nothing_is_known(case: str) -> None:
    assert_marked(PROGRAM.format(built=UNKNOWN[case], batch=STEP, epoch="pass"))


def test_each_has_its_own_place() -> None:
    batch, epoch = ('if args.schedule == "1":\n                scheduler.step()', 'if args.schedule != "1":\n            scheduler.step()')
    assert_marked(PROGRAM.format(built=either(SHARES, RATE), batch=batch, epoch=epoch))
