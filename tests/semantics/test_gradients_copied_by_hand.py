"""Mixed precision by hand: a backward fills the gradients of a model, and those of the copies that the optimizer holds are written from them."""

from __future__ import annotations

from textwrap import indent

import pytest

import looplint

PROGRAM = """\
import sys
import torch
from torch import nn

model = nn.Linear(4, 4).cuda().half()
half = len(sys.argv) > 1
copies = [p.detach().clone().float() for p in model.parameters()]
for c in copies:
    c.requires_grad = True
    c.grad = torch.zeros_like(c)
optimizer = torch.optim.Adam({held}, lr=0.1)
for _ in range(100):
    x = torch.randn(3, 4).cuda().half()
    model.zero_grad()
    loss = model(x).float().pow(2).mean() * 128
    loss.backward()
    optimizer.zero_grad(set_to_none=False)
{filled}
    optimizer.step()
    for c, p in zip(copies, model.parameters()):
        p.data.copy_(c.data)
"""
EITHER = "copies if half else list(model.parameters())"
OVER_BOTH = "for c, p in zip(copies, model.parameters()):\n    {}\n"
FILLED = {
    "copied": ("copies", OVER_BOTH.format("c.grad.copy_(p.grad)")),
    "their values copied": ("copies", OVER_BOTH.format("c.grad.data.copy_(p.grad.data)")),
    "added": ("copies", OVER_BOTH.format("c.grad.add_(p.grad)")),
    "unless they overflow": (
        EITHER,
        OVER_BOTH.format("if torch.isinf(p.grad).any():\n        break\n    c.grad.copy_(p.grad)\n    c.grad /= 128"),
    ),
    "held by one of two optimizers": (EITHER, OVER_BOTH.format("c.grad.copy_(p.grad)")),
}
LEFT = {
    "nothing is written": ("copies", ""),
    "the parameters are written": ("copies", OVER_BOTH.format("c.data.copy_(p.data)")),
    "the optimizer holds the model": ("model.parameters()", ""),
}


def _codes(held: str, filled: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(held=held, filled=indent(filled, "    ")), isolated=True)]


@pytest.mark.parametrize("case", FILLED)
def test_the_step_has_what_is_written(case: str) -> None:
    assert _codes(*FILLED[case]) == []


@pytest.mark.parametrize("case", LEFT)
def test_a_step_with_nothing_is_a_mistake(case: str) -> None:
    assert _codes(*LEFT[case]) == ["LL101"]
