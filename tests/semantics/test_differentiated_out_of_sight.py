"""What a function differentiates by its name needs the graphs of the models that it is given, in a validation too (LL303)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from penalties import compute_gradient_penalty, hessian_of, describe

def fit(model: nn.Module, critic: nn.Module, loader, val_loader, epochs):
    optimizer = torch.optim.Adam(critic.parameters(), lr=0.1)
    for epoch in range(epochs):
        critic.train()
        for real in loader:
            optimizer.zero_grad()
            critic(real).mean().backward()
            optimizer.step()
        critic.eval()
        losses = []
        for real in val_loader:
            loss = critic(real).mean()
            loss = loss + {}
            losses.append(loss.item())
        print(sum(losses))
"""


@pytest.mark.parametrize(
    "call", ["compute_gradient_penalty(critic, real)", "model.compute_gradient_penalty(real, critic)", "hessian_of(critic, real)"]
)
def test_a_pass_that_differentiates_needs_its_graphs(call: str) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.format(call), isolated=True) if f.code == "LL303"] == []


@pytest.mark.parametrize("call", ["0.0", "model(real).mean()", "describe(real)"])
def test_others_need_none(call: str) -> None:
    assert "LL303" in [f.code for f in looplint.lint(PROGRAM.format(call), isolated=True)]
