"""Parameters that a slice takes are some of them: to freeze these freezes no model."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.body(x))


net = Net()
FREEZE
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
net.eval()
total = 0
for x, y in valid:
    total += nn.functional.mse_loss(net(x), y).item()
print(total)
"""
SOME = [
    "for p in list(net.parameters())[:-2]:\n    p.requires_grad = False",
    "some = list(net.parameters())[:-2]\nfor p in some:\n    p.requires_grad_(False)",
    "for name, p in list(net.named_parameters())[1:]:\n    p.requires_grad = False",
    "for i, p in enumerate([*net.parameters()][:2]):\n    p.requires_grad = False",
    "for p in net.parameters():\n    p.requires_grad = False\nfor p in list(net.parameters())[-2:]:\n    p.requires_grad = True",
]
ALL = [
    "for p in net.parameters():\n    p.requires_grad = False",
    "for p in list(net.parameters())[:]:\n    p.requires_grad = False",
    "for p in list(net.parameters())[:-2]:\n    p.requires_grad = False\nfor p in net.parameters():\n    p.requires_grad = False",
]


def found(freeze: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("FREEZE", freeze), isolated=True) if f.code == "LL303"]


@pytest.mark.parametrize("freeze", SOME)
def test_the_rest_takes_gradients(freeze: str) -> None:
    assert found(freeze) == ["LL303"]


@pytest.mark.parametrize("freeze", ALL)
def test_all_of_them_take_none(freeze: str) -> None:
    assert found(freeze) == []
