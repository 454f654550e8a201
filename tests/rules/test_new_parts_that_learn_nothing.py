"""LL502: what comes after the optimizer and takes no gradients lacks nothing."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
NEW
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
"""


def found(new: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("NEW", new), isolated=True) if f.code == "LL502"]


@pytest.mark.parametrize(
    "new",
    [
        "net.scale = nn.Parameter(torch.ones(3), requires_grad=False)",
        "net.scale = nn.Parameter(torch.ones(3), False)",
        "net.head = nn.Linear(3, 1).requires_grad_(False)",
        "net.head = nn.Linear(3, 1)\nfor p in net.head.parameters(): p.requires_grad = False",
        "for part in net:\n    part.labels = nn.Parameter(labels(part), requires_grad=False)",
    ],
)
def test_takes_no_gradients(new: str) -> None:
    assert found(new) == []


@pytest.mark.parametrize(
    "new",
    [
        "net.scale = nn.Parameter(torch.ones(3))",
        "net.scale = nn.Parameter(torch.ones(3), requires_grad=args.learn)",
        "net.scale = nn.Parameter(torch.ones(3), requires_grad=False)\nnet.scale.requires_grad_()",
        "net.scale = nn.Parameter(torch.ones(3), requires_grad=False)\nfor p in net.parameters(): p.requires_grad = True",
        "net.head = nn.Linear(3, 1).requires_grad_(False)\nnet.head.requires_grad_(True)",
    ],
)
def test_takes_gradients(new: str) -> None:
    assert found(new) == ["LL502"]
