"""A schedule that is stepped on some batches alone is not stepped on every batch, wherever else the optimizer's own steps stand."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def main(net, loader, epochs, args):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
            for epoch in range(epochs):
                for number, (x, y) in enumerate(loader):
                    (nn.functional.mse_loss(net(x), y) / 4).backward()
                    {steps}
"""
STEPS = {
    "on the last one, where the optimizer steps on the others too": """
        if number == len(loader) - 1:
            opt.step()
            opt.zero_grad()
            schedule.step()
        else:
            opt.step()
            opt.zero_grad()
        """,
    "on the last one, before the others": """
        if number < len(loader) - 1:
            opt.step()
            opt.zero_grad()
        else:
            opt.step()
            opt.zero_grad()
            schedule.step()
        """,
    "with each step of an accumulation": """
        if (number + 1) % 4 == 0:
            opt.step()
            opt.zero_grad()
            schedule.step()  # expect: LL201
        """,
    "with one setting, as with the other": """
        if args.clip:
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
            schedule.step()  # expect: LL201
        else:
            opt.step()
            opt.zero_grad()
            schedule.step()  # expect: LL201
        """,
}


@pytest.mark.parametrize("steps", [pytest.param(text, id=name) for name, text in STEPS.items()])
def test_a_schedule_on_some_batches(steps: str) -> None:
    lines = [line.removeprefix(" " * 8) for line in steps.strip("\n").splitlines()]
    assert_marked(PROGRAM.format(steps=("\n" + " " * 20).join(lines).rstrip()))
