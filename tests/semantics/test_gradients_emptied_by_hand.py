"""Gradients of tensors of the program's own are set to zero by hand, through whatever their values are reached."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch

w = torch.randn(4, 4, requires_grad=True)
b = torch.zeros(4, requires_grad=True)
params = [w, b]
solver = torch.optim.Adam(params, lr=0.1)
for _ in range(100):
    x = torch.randn(3, 4)
    loss = (x @ w + b - x).pow(2).mean()
    loss.backward()
    solver.step()
    for p in params:
        {}
"""
EMPTIED = {
    "the values": "p.grad.data.zero_()",
    "the gradient": "p.grad.zero_()",
    "filled with zeros": "p.grad.detach().fill_(0)",
    "where there is one": "if p.grad is not None: p.grad.data.zero_()",
    "under a name": "g = p.grad.data; g.zero_()",
}
LEFT = {
    "bounded": "p.grad.data.clamp_(0)",
    "filled with something": "p.grad.data.fill_(1)",
    "the parameter": "p.data.zero_()",
    "another name": "g = p.data; g.zero_()",
}


@pytest.mark.parametrize("case", EMPTIED)
def test_what_is_emptied_is_cleared(case: str) -> None:
    assert looplint.lint(PROGRAM.format(EMPTIED[case]), isolated=True) == []


@pytest.mark.parametrize("case", LEFT)
def test_what_keeps_its_gradient_is_not(case: str) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.format(LEFT[case]), isolated=True)] == ["LL102"]
