"""A model that is one of several where branches meet may have been one of fewer before, where branches had met within a branch: its mode is that it got there."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn, optim


class Encoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.main = nn.Sequential(nn.Dropout(), nn.Linear(size, size))
        self.train()

    def forward(self, x):
        return self.main(x)


def made(args):
    if args.kind == "a":
        net = Encoder(3)
    else:
        net = Encoder(4)
    opt = optim.Adam(net.parameters())
    for x, y in torch.utils.data.DataLoader(args.data):
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    return net


def run(args, valid):
    if args.train:
        net = made(args)
        FIRST
    else:
        net = Encoder(5)
        net.load_state_dict(torch.load(args.path))
        SECOND
    total = 0
    with torch.no_grad():
        for x, y in torch.utils.data.DataLoader(valid):
            total += (net(x).argmax(-1) == y).sum().item()
    print(total)
"""


@pytest.mark.parametrize(
    ("first", "second", "codes"),
    [
        ("net.eval()", "net.eval()", []),
        ("net.eval()", "pass", []),
        ("pass", "net.eval()", []),
        ("net.eval()\n        net.train()", "pass", ["LL302"]),
        ("pass", "pass", ["LL302"]),
    ],
)
def test_the_mode_of_one_of_fewer(first: str, second: str, codes: list[str]) -> None:
    """LL302 reports a validation in train mode on every path."""
    found = looplint.lint(PROGRAM.replace("FIRST", first).replace("SECOND", second), isolated=True)
    assert [f.code for f in found if f.code == "LL302"] == codes
