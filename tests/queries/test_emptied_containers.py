"""What is kept in a container that the loop empties, or replaces, now and then does not pile up."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim


class Trainer:
    def __init__(self, loader):
        self.loader, self.kept = loader, []

    def train(self, every):
        net = nn.Linear(2, 2)
        opt = optim.SGD(net.parameters(), lr=0.1)
        for epoch in range(10):
            losses = []
            for n, (x, y) in enumerate(self.loader):
                loss = nn.functional.mse_loss(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                {keep}
                if n % every == 0:
                    print(n)
                    {empty}


Trainer([]).train(3)
"""


@pytest.mark.parametrize(
    ("keep", "empty", "expected"),
    [
        ("losses.append(loss)", "losses = []", []),
        ("losses.append(loss)", "losses.clear()", []),
        ("losses.extend([loss])", "losses = list()", []),
        ("losses += [loss]", "pass", ["LL401"]),
        ("self.kept.append(loss)", "self.kept = []", []),
        ("losses.append(loss)", "pass", ["LL401"]),
        ("losses.append(loss)", "n = []", ["LL401"]),
        ("self.kept.append(loss)", "losses = []", ["LL401"]),
    ],
)
def test_what_is_replaced_in_the_loop_holds_a_few(keep: str, empty: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(SCRIPT.format(keep=keep, empty=empty), isolated=True)] == expected
