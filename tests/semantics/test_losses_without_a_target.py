"""A loss that is given no target raises a TypeError: that the prediction is made for another one says nothing then (LL701 to LL703)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.nn import functional


class Trainer:
    def __init__(self, options):
        self.net = nn.Sequential(nn.Linear(3, 4), nn.Softmax(1))
        self.criterion = nn.CrossEntropyLoss()
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.options = {}
        self.more = options

    def fit(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            prediction = self.net(x)
            loss = CALL
            loss.backward()
            self.opt.step()
"""


def found(call: str) -> list[tuple[str, int]]:
    text = PROGRAM.replace("CALL", call)
    return [(f.code, f.location.column) for f in looplint.lint(text, isolated=True) if f.code == "LL701"]


@pytest.mark.parametrize(
    "call",
    [
        "self.criterion(prediction)",
        "self.criterion(prediction, **self.options)",
        "functional.cross_entropy(prediction, reduction='sum')",
        "self.criterion(input=prediction)",
    ],
)
def test_no_target(call: str) -> None:
    assert found(call) == []


@pytest.mark.parametrize(
    "call",
    [
        "self.criterion(prediction, y)",
        "self.criterion(prediction, target=y)",
        "self.criterion(prediction, **self.more)",
        "self.criterion(*(prediction, y))",
        "self.criterion(prediction, y) if len(y) else self.criterion(prediction)",
        "functional.cross_entropy(input=prediction, target=y)",
    ],
)
def test_a_target(call: str) -> None:
    assert found(call) == [("LL701", 20)]
