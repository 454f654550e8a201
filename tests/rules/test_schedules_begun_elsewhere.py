"""A scheduler that is told the epoch it begins in sets the rate of that epoch when it is built: each round may build one."""

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
