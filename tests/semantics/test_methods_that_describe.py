"""A method of a module out of sight whose name says that it gives a size applies the module to nothing."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from parts import make_encoder

def train(groups, loader):
    encoder = make_encoder(groups)
    encoder.eval()
    total = 0
    for key, shape in groups.items():
        {}
    head = nn.Linear(total, 2)
    optimizer = torch.optim.SGD(list(encoder.parameters()) + list(head.parameters()), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(encoder(x)), y).backward()
        optimizer.step()
"""


@pytest.mark.parametrize("call", ["output_shape(shape)[0]", "parts[key].feature_size(shape).item()", "out_dim(shape)", "num_channels(key)"])
def test_a_size_is_no_output(call: str) -> None:
    text = PROGRAM.format(f"total += int(encoder.{call})")
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL303", "LL402")] == []


def test_an_output_is_one() -> None:
    text = PROGRAM.format("total += int(encoder.encode(torch.zeros(shape)).sum().item())")
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL303", "LL402")] == ["LL303"]
