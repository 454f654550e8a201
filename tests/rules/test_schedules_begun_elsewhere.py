"""A scheduler that is told the epoch it begins in sets the rate of that epoch when it is built: each round may build one, but not a whole training."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim


def train_round(net, optimizer, loader, epoch):
    scheduler = optim.lr_scheduler.{scheduler}
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()


def main(loader):
    net = nn.Linear(2, 2)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        train_round(net, optimizer, loader, epoch)
"""


@pytest.mark.parametrize(
    ("scheduler", "expected"),
    [
        ("CosineAnnealingLR(optimizer, T_max=10, last_epoch=epoch - 1)", []),
        ("StepLR(optimizer, 3, last_epoch=epoch)", []),
        ("LambdaLR(optimizer, lambda step: 0.9**step, last_epoch=epoch)", []),
        ("CosineAnnealingLR(optimizer, T_max=10)", ["LL205"]),
        ("CosineAnnealingLR(optimizer, T_max=10, last_epoch=-1)", ["LL205"]),
    ],
)
def test_a_scheduler_of_one_round(scheduler: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(SCRIPT.format(scheduler=scheduler), isolated=True)] == expected


RESUMED = """\
import torch
from torch import nn, optim
from tqdm import tqdm


def train(net, loader, args):
    start = torch.load(args.path)["epoch"] if args.path else 0
    optimizer = optim.SGD([{{"params": net.parameters(), "initial_lr": 0.1}}], lr=0.1)
    {before}
    for epoch in {epochs}:
        {within}
        net.train()
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        {after}
"""
BUILT = "scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9, last_epoch=start - 1)"
BY_LAMBDA = "scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9 ** (epoch + start))"
ON = "range(start, args.epochs)"


@pytest.mark.parametrize(
    ("epochs", "before", "within", "after", "expected"),
    [
        (ON, BUILT, "pass", "pass", ["LL205"]),
        ("tqdm(range(max(0, start), args.epochs))", BUILT, "pass", "pass", ["LL205"]),
        (ON, BY_LAMBDA, "pass", "pass", ["LL205"]),
        ("epochs", f"epochs = range(start + 1, args.epochs + 1)\n    {BUILT}", "pass", "pass", ["LL205"]),
        (ON, BUILT, "pass", "scheduler.step()", []),
        (ON, "pass", BUILT.replace("start - 1", "epoch - 1"), "pass", []),
        # The epochs of one round, which the caller numbers.
        ("range(args.local_epochs)", BUILT, "pass", "pass", []),
        ("range(1, args.local_epochs + 1)", BUILT, "pass", "pass", []),
    ],
)
def test_a_scheduler_of_a_training_that_is_resumed(epochs: str, before: str, within: str, after: str, expected: list[str]) -> None:
    program = RESUMED.format(epochs=epochs, before=before, within=within, after=after)
    assert [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL205"] == expected
