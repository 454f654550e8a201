"""What a forward leaves in an attribute, as a function that a part has given, is no part of the module."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part
        {constructed}

    def forward(self, x):
        self.field = {left}
        return self.field(x).mean()


def fields(net, opt, loader):
    for x in loader:
        opt.zero_grad()
        net(x).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        net.half()
    return [net.field(x).numpy() for x in loader]


def main(loader, part):
    net = Net(part)
    fields(net, torch.optim.SGD(net.parameters(), lr=0.1), loader)


main(LOADER, PART)
"""


@pytest.mark.parametrize(
    ("constructed", "left", "expected"),
    [
        ("pass", "self.part(x)", []),
        ("self.other = part", "self.other(x, x)", []),
        ("self.field = nn.Linear(3, 3)", "self.field", ["LL303"]),
    ],
)
def test_what_a_part_has_given_is_applied(constructed: str, left: str, expected: list[str]) -> None:
    text = PROGRAM.format(constructed=constructed, left=left)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL303"] == expected
