"""An entry of what a model out of sight returns, which nothing shows to be a tensor, is added up as a number: others of its outputs are alike, and say nothing of it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


def train_one_epoch(model, loader, optimizer, criterion):
    model.train()
    total = 0
    for i, data in enumerate(loader, start=1):
        scores, shift, count, more = model(data, train=True)
        if shift.isnan().any():
            continue
        loss = criterion(scores, data.y) + shift.mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        ADDED
    return total
"""


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("total += count", []),
        ("total += more", []),
        ("total += shift", ["LL402"]),
        ("total += loss", ["LL402"]),
        ("print(count.mean()); total += count", ["LL402"]),
    ],
)
def test_what_is_added_up_is_a_tensor_by_its_own_use(added: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.replace("ADDED", added), isolated=True)] == expected
