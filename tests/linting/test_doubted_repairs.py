"""A repair is only as safe as each file takes it for that leads to its place."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

EVALUATION = """\
import torch
from torch import nn


def test(net, loader):
    right = 0
    for x, y in loader:
        right += (net(x).argmax(1) == y).sum().item()
    return right


if __name__ == "__main__":
    net = nn.Linear(8, 2).eval()
    net.load_state_dict(torch.load("net.pt", map_location="cpu"))
    print(test(net, data()))
"""
TRAINING = """\
import torch
from torch import nn
from test import test

net = nn.Linear(8, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(10):
    net.train()
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        print({number})
    net.eval()
    print(test(net, valid))
"""


@pytest.mark.parametrize(
    ("number", "applicability"), [("loss.item()", "safe"), ("loss.data[0]", "unsafe")], ids=["of today", "without no_grad()"]
)
def test_a_caller_is_for_an_older_torch(tmp_path: Path, number: str, applicability: str) -> None:
    """`torch.no_grad()` is not there in torch 0.3, for which the training that calls this evaluation is written."""
    (tmp_path / "test.py").write_text(EVALUATION)
    (tmp_path / "train.py").write_text(TRAINING.format(number=number))
    found = [f for f in looplint.lint(tmp_path, isolated=True) if f.code == "LL303"]
    assert [f.fix.applicability for f in found if f.fix is not None] == [applicability]
