"""A forward that calls a function of another file for gradients needs a graph in a validation: `no_grad` there would end the program."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

GRADIENTS = """\
import torch


def gradient(y, x):
    return torch.autograd.grad(y, [x], torch.ones_like(y), create_graph=True)[0]


def image_gradient(y, x):
    return y - x
"""
PROGRAM = """\
import torch
from torch import nn
IMPORT


class Project(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps
        self.net = nn.Linear(3, 3)

    def forward(self, x):
        for k in range(self.steps):
            x = x - 0.1 * CALL(self.net(x).square().sum(1), x)
        return x


class Problem(nn.Module):
    def __init__(self, nodes):
        super().__init__()
        self.nodes = nn.ModuleList(nodes)

    def forward(self, x):
        for node in self.nodes:
            x = node(x)
        return x


def train(loader, valid):
    model = Problem([nn.Linear(3, 3), Project(5)])
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        model.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
        model.eval()
        for x, y in valid:
            print(nn.functional.mse_loss(model(x), y).item())
"""


def _codes(tmp_path: Path, imported: str, called: str) -> list[str]:
    (tmp_path / "gradients.py").write_text(GRADIENTS)
    file = tmp_path / "train.py"
    file.write_text(PROGRAM.replace("IMPORT", imported).replace("CALL", called))
    return [f.code for f in looplint.lint([file], isolated=True)]


@pytest.mark.parametrize(
    ("imported", "called"),
    [
        ("from gradients import gradient", "gradient"),
        ("from gradients import gradient as grad_of", "grad_of"),
        ("from gradients import *", "gradient"),
    ],
)
def test_a_function_that_differentiates(tmp_path: Path, imported: str, called: str) -> None:
    assert _codes(tmp_path, imported, called) == []


def test_a_function_that_does_not(tmp_path: Path) -> None:
    assert _codes(tmp_path, "from gradients import image_gradient", "image_gradient") == ["LL303"]
