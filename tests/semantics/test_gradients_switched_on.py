"""Gradients that an option of the program switches on are wanted: `with torch.set_grad_enabled(self.model.grad_inference):`."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Problem(nn.Module):
    def __init__(self, net, grad_inference=False):
        super().__init__()
        self.net = net
        self.grad_inference = grad_inference

    def forward(self, x):
        return self.net(x)


class Trainer:
    def __init__(self, model, optimizer, loader, valid):
        self.model, self.optimizer, self.loader, self.valid = model, optimizer, loader, valid

    def train(self):
        for epoch in range(3):
            self.model.train()
            for x, y in self.loader:
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.model(x), y).backward()
                self.optimizer.step()
            self.model.eval()
            with CONTEXT:
                for x, y in self.valid:
                    print(nn.functional.mse_loss(self.model(x), y).item())


def main(loader, valid):
    model = Problem(nn.Linear(3, 3), grad_inference=GIVEN)
    Trainer(model, torch.optim.SGD(model.parameters(), 0.1), loader, valid).train()
"""


@pytest.mark.parametrize(
    ("context", "given", "expected"),
    [
        ("torch.set_grad_enabled(self.model.grad_inference)", "True", []),
        ("torch.set_grad_enabled(self.model.grad_inference)", "False", []),
        ("torch.set_grad_enabled(mode=self.model.grad_inference)", "True", []),
        ("torch.set_grad_enabled(True)", "True", []),
        ("torch.random.fork_rng()", "True", ["LL303"]),
    ],
)
def test_an_option_that_is_on(context: str, given: str, expected: list[str]) -> None:
    text = PROGRAM.replace("CONTEXT", context).replace("GIVEN", given)
    assert [f.code for f in looplint.lint(text, isolated=True)] == expected
