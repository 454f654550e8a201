"""What a module of the program keeps under the names `grad` and `data` is its own: no gradient, and no parameter's values."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, path=None, grad=False):
        super().__init__()
        self.path = path
        self.grad = grad

    def prepare(self):
        if self.path:
            self.load_state_dict(torch.load(self.path, map_location="cpu"))
        if not self.grad:
            for p in self.parameters():
                p.requires_grad = False


class Net(Base):
    def __init__(self, path=None, grad=False):
        super().__init__(path, grad)
        self.layer = nn.Linear(8, 2)
        self.prepare()

    def forward(self, x):
        return self.layer(x)


def evaluate(model, loader):
    model.eval()
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct


if __name__ == "__main__":
    from data import loader

    model = Net(path="net.pt")
    print(evaluate(model, loader))
"""
ITS_LAYER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.data = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.data(x))


def train(loader):
    model = Net()
    optimizer = torch.optim.SGD(model.data.parameters(), lr=0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
"""
A_PARAMETER = """\
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.scale


def train(loader):
    model = Scale()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
        model.scale.grad = None
"""


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(program, isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(
    "program",
    [
        PROGRAM,
        PROGRAM.replace("self.grad", "self.data"),
        PROGRAM.replace("if not self.grad:", "if self.grad is False:"),
        PROGRAM.replace("        self.grad = grad\n", "        self.grad = grad or False\n"),
    ],
)
def test_a_flag_that_is_named_so_decides_what_is_frozen(program: str) -> None:
    assert codes(program) == []


def test_a_flag_that_is_given_leaves_the_gradients_on() -> None:
    assert codes(PROGRAM.replace('path="net.pt"', 'path="net.pt", grad=True')) == ["LL303"]


def test_a_layer_that_is_named_so_is_a_layer() -> None:
    assert codes(ITS_LAYER) == []


def test_the_gradient_of_a_parameter_is_still_cleared() -> None:
    assert codes(A_PARAMETER) == []
    assert codes(A_PARAMETER.replace("        model.scale.grad = None\n", "")) == ["LL102"]
