"""An entry of a `nn.ParameterDict` is one of the parameters that it was built of, also under a key that the text writes out."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.scales = nn.ParameterDict({entries})
        self.head = nn.Linear(4, 4)

    def scale(self, key):
        return self.scales[key]


def fit(loader, names):
    net = Net(names)
    opt = torch.optim.SGD(net.scales.parameters(), lr=0.1)
    other = torch.optim.SGD(net.head.parameters(), lr=0.1)
    for x in loader:
        opt.zero_grad()
        other.zero_grad()
        loss = (net.{used} * x).sum()
        {early}.step(){marked}
        loss.backward()
        {late}.step()
"""
ALL = "{name: nn.Parameter(torch.ones(4)) for name in names}"
ONE = '{"one": nn.Parameter(torch.ones(4)), "two": nn.Parameter(torch.ones(4))}'


@pytest.mark.parametrize(
    ("entries", "used"),
    [
        (ALL, 'scales["one"]'),
        (ONE, 'scales["one"]'),
        (ONE, 'scale("two")'),
        ('[("one", nn.Parameter(torch.ones(4)))]', 'scales["one"]'),
    ],
    ids=["of a comprehension", "written out", "by a method", "of pairs"],
)
def test_it_is_what_the_optimizer_holds(entries: str, used: str) -> None:
    def program(early: str, late: str, marked: str) -> str:
        return PROGRAM.format(entries=entries, used=used, early=early, late=late, marked=marked)

    assert_marked(program("other", "opt", ""))
    assert_marked(program("opt", "other", "  # expect: LL105"))
