"""LL402: a dict or list of sums that a branch of the loop begins anew goes on in the other turns; one that each turn begins anew does not."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from collections import defaultdict
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, every: int, board):
    opt = optim.SGD(net.parameters(), lr=0.1)
    sums = {begun}
    steps = 0
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            {added}
            steps += 1
            if {test}:
                board.write(sums, steps)
                sums = {again}
"""
SUMS = {
    "a dict": ("defaultdict(float)", "sums['loss'] += loss", "defaultdict(float)"),
    "a list": ("[0.0]", "sums[0] += loss", "[0.0]"),
    "one of two kinds": ("dict(loss=0.0)", "sums['loss'] = sums['loss'] + loss", "defaultdict(float)"),
    "a number": ("0.0", "sums += loss", "0.0"),
}


def _codes(begun: str, added: str, again: str, test: str) -> list[str]:
    text = PROGRAM.format(begun=begun, added=added, again=again, test=test)
    return [f.code for f in looplint.lint(text, select=["LL402"], isolated=True)]


@pytest.mark.parametrize(("begun", "added", "again"), SUMS.values(), ids=SUMS)
@pytest.mark.parametrize("test", ["steps % every == 0", "steps % 100 == 99"])
def test_begun_again_now_and_then(begun: str, added: str, again: str, test: str) -> None:
    assert _codes(begun, added, again, test) == ["LL402"]


@pytest.mark.parametrize(("begun", "added", "again"), SUMS.values(), ids=SUMS)
def test_begun_again_in_each_turn(begun: str, added: str, again: str) -> None:
    assert _codes(begun, added, again, "True") == []
