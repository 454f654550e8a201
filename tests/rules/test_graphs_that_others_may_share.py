"""retain_graph=True is left alone where another backward in the loop may go through the same graph: what it begins at is not known."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
from models import Diffusion, decode
from torch import nn, optim


def fit(loader, regulariser):
    model, other = nn.Linear(8, 8), nn.Linear(8, 8)
    diffusion = Diffusion(model)
    optimizer = optim.Adam([*model.parameters(), *other.parameters()], lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        made = model(x)
        loss = nn.functional.mse_loss(made, y)
        loss.backward(retain_graph=True)
        {}
        optimizer.step()
"""
OPEN = {
    "a model of a class out of sight": "second, _ = diffusion(x, made); second.backward()",
    "a function out of sight": "decode(x, made).backward()",
    "a sum of losses out of sight": "(regulariser(y) + 0.1 * decode(y)).backward()",
    "what came before": "before.backward(); before = diffusion(x)",
}
KNOWN = {
    "no other": "pass",
    "another forward": "nn.functional.mse_loss(other(x), y).backward()",
    "parameters": "other.weight.norm().backward()",
    "a gradient by hand": "for p in model.parameters(): p.grad.add_(0.1 * p.data)",
}


def _codes(other: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(other), isolated=True, select=["LL110"])]


@pytest.mark.parametrize("case", OPEN)
def test_another_backward_may_need_the_graph(case: str) -> None:
    assert _codes(OPEN[case]) == []


@pytest.mark.parametrize("case", KNOWN)
def test_none_needs_it(case: str) -> None:
    assert _codes(KNOWN[case]) == ["LL110"]
