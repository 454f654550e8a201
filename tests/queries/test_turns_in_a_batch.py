"""Gradients that are cleared for each batch and used in each turn of a loop over its parts: of one part nothing adds up."""

from __future__ import annotations

import pytest

import looplint

LOOP = """
import torch
from torch import nn
def train(net, loader, parts, options, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for {outer}:
        {clear}
        for {inner}:
            loss = nn.functional.mse_loss(net({x}), y)
            loss.backward()
            opt.step()
"""
CASES = {
    "a number that is given": ("x, y in loader", "opt.zero_grad()", "j in range(parts)", "x[j]", "warning"),
    "an option": ("i, (x, y) in enumerate(loader)", "net.zero_grad()", "part in range(options.parts)", "x[part]", "warning"),
    "in a helper's words": ("x, y in loader", "opt.zero_grad(set_to_none=True)", "_ in range(parts)", "x", "warning"),
    "a number that is written": ("x, y in loader", "opt.zero_grad()", "j in range(4)", "x[j]", "error"),
    "all batches of an epoch": ("epoch in range(epochs)", "opt.zero_grad()", "x, y in loader", "x", "error"),
    "cleared for some batches": ("i, (x, y) in enumerate(loader)", "if i % 2: opt.zero_grad()", "j in range(parts)", "x[j]", "error"),
}


@pytest.mark.parametrize(("outer", "clear", "inner", "x", "severity"), CASES.values(), ids=CASES)
def test_what_adds_up_within_a_batch(outer: str, clear: str, inner: str, x: str, severity: str) -> None:
    program = LOOP.format(outer=outer, clear=clear, inner=inner, x=x)
    (finding,) = [f for f in looplint.lint(program, isolated=True) if f.code == "LL102"]
    assert finding.severity == severity
    assert ("is more than 1" in finding.message) == (severity == "warning")
