"""A model whose own forward differentiates something needs gradients in a validation: `no_grad` there would end the program."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

def derived(energy, x):
    return torch.autograd.grad(energy, x, create_graph=True)[0]

class Field(nn.Module):
    def __init__(self, optimizer):
        super().__init__()
        self.net = nn.Linear(3, 1)
        self.opt = optimizer

    def forces(self, energy, x):
        return torch.autograd.grad(energy, x, create_graph=True)[0]

    def forward(self, x):
        energy = self.net(x).sum()
        INNER

class Wrapped(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.blocks = nn.ModuleList([inner])

    def forward(self, x):
        return self.blocks[0](x)

def train(loader, val_loader, inner):
    model = MODEL
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
        model.eval()
        for x, y in val_loader:
            print(nn.functional.mse_loss(model(x), y).item())
"""


def _codes(inner: str, model: str = "Field(inner)") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("INNER", inner).replace("MODEL", model)) if f.code == "LL303"]


@pytest.mark.parametrize(
    "inner",
    [
        "return torch.autograd.grad(energy, x)[0]",
        "return self.forces(energy, x)",
        "return derived(energy, x)",
        "return torch.func.jacrev(self.net)(x)",
        "return self.opt.step(energy)",
    ],
)
@pytest.mark.parametrize("model", ["Field(inner)", "Wrapped(Field(inner))"])
def test_a_forward_that_differentiates(inner: str, model: str) -> None:
    assert _codes(inner, model) == []


@pytest.mark.parametrize("inner", ["return energy", "return self.net(energy.expand(1, 3))"])
def test_a_forward_that_does_not(inner: str) -> None:
    assert _codes(inner) == ["LL303"]
