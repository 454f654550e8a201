"""A call of a part that only some of several objects have may go to a method of the others: where it does not fit the part, that is no error of every run."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from collections import OrderedDict
from torch import nn, optim


class Old(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, x):
        return self.lin(x)


class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def synthesis(self, x, noise=None):
        return self.lin(x)


def main(args, loader):
    if args["version"] == "1":
        net = {first}
    else:
        net = {second}
    net = nn.DataParallel(net)
    opt = optim.Adam(net.parameters())
    for x, y in loader:
        loss = nn.functional.mse_loss(net.module.synthesis(x, noise=args["noise"]), y)
        loss.backward()
        opt.zero_grad()
        opt.step()


main(read(), torch.utils.data.DataLoader(data))
"""
OLD = 'nn.Sequential(OrderedDict([("synthesis", Old())]))'


@pytest.mark.parametrize(
    ("first", "second"),
    [(OLD, "New()"), ("New()", OLD), ("New()", "New()")],
    ids=["the second has a method", "the first has one", "both have one"],
)
def test_a_call_that_fits_some(first: str, second: str) -> None:
    text = PROGRAM.format(first=first, second=second)
    assert [f.code for f in looplint.lint(text, isolated=True)] == ["LL101"]
