"""A dropout whose rate is an option that is 0 by default is off in the run that everybody makes."""

from __future__ import annotations

import pytest

import looplint

MEASURED = """\
import argparse
import torch
import torch.nn.functional as F
from torch import nn, optim
parser = argparse.ArgumentParser()
parser.add_argument({option})
args = parser.parse_args()
class Net(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
        self.inner, self.out, self.drop = nn.Linear(4, 4), nn.Linear(4, 1), nn.Dropout(rate)
    def forward(self, x):
        return self.out({dropped})
def measure(net, loader):
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += F.mse_loss(net(x), y).item()
    return total
net = Net(args.{name})
opt = optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in train_loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    print(measure(net, val_loader))
"""
LAYER = "self.drop(self.inner(x))"
FUNCTION = "F.dropout(self.inner(x), self.rate)"


@pytest.mark.parametrize(
    ("option", "name", "dropped", "expected"),
    [
        ('"--dropout", type=float, default=0.0', "dropout", LAYER, [("LL302", "advice")]),
        ('"-d", "--drop-rate", type=float, default=0', "drop_rate", LAYER, [("LL302", "advice")]),
        ('"--dropout", type=float, default=0.0', "dropout", FUNCTION, [("LL302", "advice")]),
        ('"--dropout", type=float, default=0.1', "dropout", LAYER, [("LL302", "error")]),
        ('"--dropout", type=float, required=True', "dropout", LAYER, [("LL302", "error")]),
        ('"--dropout", type=float, default=0.1', "dropout", FUNCTION, [("LL302", "error")]),
    ],
)
def test_a_dropout_that_is_off_by_default_does_nothing_in_this_run(
    option: str, name: str, dropped: str, expected: list[tuple[str, str]]
) -> None:
    text = MEASURED.format(option=option, name=name, dropped=dropped)
    assert sorted((f.code, f.severity) for f in looplint.lint(text, isolated=True) if f.code in ("LL302", "LL307")) == expected
