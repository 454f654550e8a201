"""A functional dropout under a test of an argument is dropped where the callers say so, whatever the mode; any other test decides over something else."""

from __future__ import annotations

from textwrap import indent

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self, rate=0.5):
        super().__init__()
        self.drops = True
        self.hidden = nn.Linear(8, 8)

    def forward(self, x, use_dropout=False, mask=None, how="train"):
BODY
        return x

    def drop(self, x):
        return F.dropout(x, 0.5)


def main(data, valid):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for x, y in data:
        opt.zero_grad()
        F.mse_loss(net(x, use_dropout=True), y).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        for x, y in valid:
            print(F.mse_loss(net(x), y).item())
"""
TOLD = {
    "a test": "if use_dropout:\n    x = F.dropout(x, 0.5)",
    "with another": "if use_dropout and len(x) > 1:\n    for _ in range(2):\n        x = F.dropout(self.hidden(x), 0.5)",
    "an expression": "x = F.dropout(x, 0.5) if use_dropout else x",
    "a way out": "if not use_dropout:\n    return x\nx = F.dropout(x, 0.5)",
    "a comparison": "if how == 'train':\n    x = F.dropout(x, 0.5)",
    "a method": "if use_dropout:\n    x = self.drop(x)",
    "a branch that is left empty": "if how == 'train':\n    pass\nif use_dropout:\n    x = self.drop(x)",
}
NOT_TOLD = {
    "no test": "x = F.dropout(x, 0.5)",
    "an argument that may be missing": "if mask is not None:\n    x = x * mask\nelse:\n    x = F.dropout(x, 0.5)",
    "an attribute": "if self.drops:\n    x = F.dropout(x, 0.5)",
    "beside a test": "if use_dropout:\n    x = self.hidden(x)\nx = F.dropout(x, 0.5)",
    "a method that is called in any case": "if use_dropout:\n    x = self.drop(x)\nx = self.drop(x)",
}


def _found(body: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("BODY", indent(body, " " * 8)), isolated=True) if f.code == "LL307"]


@pytest.mark.parametrize("body", TOLD.values(), ids=TOLD)
def test_the_callers_decide(body: str) -> None:
    assert _found(body) == []


@pytest.mark.parametrize("body", NOT_TOLD.values(), ids=NOT_TOLD)
def test_nobody_decides(body: str) -> None:
    assert _found(body) == ["LL307"]
