"""What each turn of a loop puts under the key of the turn before does not pile up in it."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim


def train(loaders, names):
    net = nn.Linear(2, 2)
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        kept = {{}}
        for name in names:
            loader = loaders[name]
            for n, (x, y) in enumerate(loader):
                out = net(x)
                loss = nn.functional.mse_loss(out, y)
                opt.zero_grad()
                loss.backward()
                opt.step()
                number = n // 2
                {keep}
"""


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        ("kept[name] = out", []),
        ("kept[name, 'last'] = out", []),
        ("kept[f'{{name}} of {{epoch}}'] = out", []),
        ("kept[n] = out", ["LL401"]),
        ("kept[name, n] = out", ["LL401"]),
        ("kept[number] = out", ["LL401"]),
        ("kept[len(kept)] = out", ["LL401"]),
        ("kept[f'{{name}} {{n}}'] = out", ["LL401"]),
    ],
)
def test_what_is_put_under_the_same_key_takes_its_place(keep: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(SCRIPT.format(keep=keep.format()), isolated=True)] == expected
