"""Gradients of some parameters that are cleared by hand before a step leave those of the others to it."""

from __future__ import annotations

from textwrap import indent

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

def train(policy: nn.Module, buffer):
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.1)
{}
    for x, y in buffer:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(policy(x), y)
        loss.backward()
        for param in shared:
            param.grad = None
        optimizer.step()
"""
SOME = {
    "those that a condition skips": """\
shared = []
for name, param in policy.named_parameters():
    if "value" in name:
        continue
    shared.append(param)
""",
    "those under a condition": """\
shared = []
for param in policy.parameters():
    if param.ndim > 1:
        shared.append(param)
""",
    "a comprehension with a test": 'shared = [p for name, p in policy.named_parameters() if not name.startswith("head")]\n',
}
ALL = {
    "a list": "shared = list(policy.parameters())\n",
    "appended": "shared = []\nfor param in policy.parameters():\n    shared.append(param)\n",
}


@pytest.mark.parametrize("case", SOME)
def test_what_is_cleared_in_part_is_no_mistake(case: str) -> None:
    assert looplint.lint(PROGRAM.format(indent(SOME[case], "    ")), isolated=True) == []


@pytest.mark.parametrize("case", ALL)
def test_what_is_cleared_whole_is_one(case: str) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.format(indent(ALL[case], "    ")), isolated=True)] == ["LL101"]
