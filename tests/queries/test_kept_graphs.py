"""A model that computes something of its weights in its first forward, and goes through that in each one, needs its graph again in each turn."""

from __future__ import annotations

import pytest

import looplint

TEXT = """\
import torch
from torch import nn, optim


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.delta = None
        self.ready = False

    def forward(self, x):
        {first}
        return torch.round(x / self.delta) * self.delta


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        {part}

    def forward(self, x):
        return nn.functional.linear(x, self.scale(self.layer.weight))


def fit({given}):
    {net}
    opt = optim.Adam(net.parameters())
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(retain_graph=True)
        opt.step()
"""
FIRST = "if self.delta is None:\n            self.delta = x.max() / 8"
BUILT = "self.scale = Scale()"
MADE = ("loader", "net = Net()")
GIVEN = ("net: Net, loader", "net.train()")


def _codes(first: str, part: str = BUILT, where: tuple[str, str] = MADE) -> list[str]:
    given, net = where
    return [f.code for f in looplint.lint(TEXT.format(first=first, part=part, given=given, net=net), isolated=True, select=["LL110"])]


@pytest.mark.parametrize("where", [MADE, GIVEN], ids=["made", "handed in"])
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(FIRST, id="under a test of itself"),
        pytest.param("if not self.ready:\n            self.delta, self.ready = self.start(x), True", id="under a test of a flag"),
        pytest.param(
            "if self.ready is False:\n            if self.training:\n                self.delta = torch.max(x)", id="under two tests"
        ),
    ],
)
def test_the_graph_is_needed_again(first: str, where: tuple[str, str]) -> None:
    assert _codes(first, where=where) == []


@pytest.mark.parametrize(
    "first",
    [
        pytest.param("if self.delta is None:\n            self.delta = x.detach().max()", id="of what is detached"),
        pytest.param("if self.delta is None:\n            self.delta = x.max().item()", id="a number"),
        pytest.param("if self.delta is None:\n            self.delta = nn.Parameter(x.max())", id="a parameter"),
        pytest.param("self.delta = x.max()", id="computed in each forward"),
        pytest.param("if self.delta is None:\n            self.delta = torch.ones(2)", id="of no input"),
    ],
)
def test_it_is_not(first: str) -> None:
    assert _codes(first) == ["LL110"]


def test_it_is_not_by_a_class_that_the_model_does_not_build() -> None:
    assert _codes(FIRST, part="self.scale = nn.Identity()") == ["LL110"]
