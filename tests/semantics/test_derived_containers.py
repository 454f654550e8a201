"""Classes that a program derives from torch's containers hold what torch's constructor is given."""

from __future__ import annotations

import pytest

import looplint

TRAINED = """\
import torch
from torch import nn, optim

class Scaled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("mean", torch.zeros(size))
    def forward(self, x):
        return (x - self.mean) * self.weight

CLASS

def train(net, loader, valid):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.LOSS(net(x), y)
            loss.backward()
            opt.step()
        with torch.no_grad():
            for x, y in valid:
                print(nn.functional.LOSS(net(x), y).item())

train(Head(NUMBERS), batches, held_out)
"""
CLASSES = {
    "torch's constructor": ("class Head(nn.Sequential):\n    pass", "nn.Linear(8, 8), LAYER"),
    "super": (
        "class Head(nn.Sequential):\n    def __init__(self, size):\n        super().__init__(nn.Linear(size, size), LAYER)",
        "8",
    ),
    "super with a list": (
        "class Head(nn.Sequential):\n    def __init__(self, size):\n        layers = [nn.Linear(size, size)]\n        layers.append(LAYER)\n"
        "        super().__init__(*layers)",
        "8",
    ),
    "the class's constructor": (
        "class Head(nn.Sequential):\n    def __init__(self, size):\n        nn.Sequential.__init__(self, nn.Linear(size, size), LAYER)",
        "8",
    ),
    "a list of modules": (
        "class Head(nn.ModuleList):\n    def __init__(self, size):\n        super().__init__([nn.Linear(size, size), LAYER])\n"
        "    def forward(self, x):\n        for part in self:\n            x = part(x)\n        return x",
        "8",
    ),
    "a forward of its own": (
        "class Head(nn.Sequential):\n    def forward(self, x):\n        for part in self:\n            x = part(x)\n        return x",
        "nn.Linear(8, 8), LAYER",
    ),
    "a class between": (
        "class Between(nn.Sequential):\n    def __init__(self, *layers):\n        super().__init__(*layers)\n\n"
        "class Head(Between):\n    def __init__(self, size):\n        super().__init__(nn.Linear(size, size), LAYER)",
        "8",
    ),
}


def _codes(cls: tuple[str, str], layer: str, loss: str = "mse_loss") -> set[str]:
    text, numbers = cls
    code = TRAINED.replace("CLASS", text).replace("NUMBERS", numbers).replace("LAYER", layer).replace("LOSS", loss)
    return {f.code for f in looplint.lint(code)}


@pytest.mark.parametrize("cls", CLASSES.values(), ids=CLASSES)
def test_a_layer_with_modes_is_seen_in(cls: tuple[str, str]) -> None:
    assert _codes(cls, "nn.Dropout(0.5)") == {"LL302"}


@pytest.mark.parametrize("cls", CLASSES.values(), ids=CLASSES)
@pytest.mark.parametrize("layer", ["nn.Tanh()", "Scaled(8)"])
def test_without_such_a_layer_the_modes_are_the_same(cls: tuple[str, str], layer: str) -> None:
    assert _codes(cls, layer) == set()


@pytest.mark.parametrize("name", ["torch's constructor", "super", "super with a list", "the class's constructor", "a class between"])
def test_the_last_layer_is_seen_in(name: str) -> None:
    assert _codes(CLASSES[name], "nn.Softmax(dim=-1)", "cross_entropy") == {"LL701"}
    assert _codes(CLASSES[name], "nn.Linear(8, 8)", "cross_entropy") == set()


def test_parts_that_are_not_known_may_have_modes() -> None:
    given = ("class Head(nn.Sequential):\n    def __init__(self, *layers):\n        super().__init__(*layers)", "*made()")
    assert _codes(given, "") == {"LL302"}
