"""An attribute that nothing sets on a model of a known class is no part of it; one that may be set in a way that hides its name is."""

from __future__ import annotations

import pytest

import looplint

MEASURED = """\
import torch
from torch import nn, optim
from elsewhere import Mixin

class Net(BASES):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        MADE

    def forward(self, x):
        return self.body(x)

def train(loader, valid):
    net = Net()
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        total = 0.0
        for x, y in valid:
            total += nn.functional.mse_loss(net.head(x), y)  # LL402
        print(total)

train(batches, held_out)
"""


def _codes(made: str, bases: str = "nn.Module") -> set[str]:
    return {f.code for f in looplint.lint(MEASURED.replace("MADE", made).replace("BASES", bases))}


@pytest.mark.parametrize(
    "made",
    [
        "pass",
        "self.heads = nn.ModuleList([nn.Linear(8, 1)])",
        "print(isinstance(self, nn.Module))",
        "self.register_buffer('mean', torch.zeros(8))",
    ],
)
def test_what_nothing_sets_is_no_forward(made: str) -> None:
    assert _codes(made) == set()


@pytest.mark.parametrize(
    "made",
    [
        "self.head = nn.Linear(8, 1)",
        "setattr(self, f'{name}', nn.Linear(8, 1))",
        "self.add_module(name, nn.Linear(8, 1))",
        "self._modules[name] = nn.Linear(8, 1)",
        "build_heads(self)",
    ],
)
def test_what_may_be_set_is_a_part(made: str) -> None:
    assert {"LL402", "LL303"} & _codes(made)


def test_a_base_that_is_not_known_may_set_it() -> None:
    assert {"LL402", "LL303"} & _codes("pass", "Mixin, nn.Module")
