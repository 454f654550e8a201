"""Whether the modes of a model differ: a layer that is one of several, or may be none, tells it only where each of them does."""

from __future__ import annotations

import pytest

import looplint

MEASURED = """\
import sys

import torch
from torch import nn

def select_norm(name, size):
    if name == "layer":
        return nn.LayerNorm(size)
    elif name == "instance":
        return nn.InstanceNorm1d(size)
    return nn.BatchNorm1d(size)

class Net(nn.Module):
    def __init__(self, norm=None, size=8):
        super().__init__()
        self.body = nn.Linear(size, size)
        self.norm = NORM

    def forward(self, x):
        return self.norm(self.body(x)) if self.norm is not None else self.body(x)

def test(loader, name):
    net = Net(name)
    net.load_state_dict(torch.load("net.pt", map_location="cpu", weights_only=True))
    with torch.no_grad():
        for x, y in loader:
            print(nn.functional.mse_loss(net(x), y).item())

test(held_out, sys.argv[1])
"""


def _codes(norm: str) -> list[str]:
    return [f.code for f in looplint.lint(MEASURED.replace("NORM", norm))]


@pytest.mark.parametrize(
    "norm",
    [
        "select_norm(norm, size)",
        "nn.BatchNorm1d(size) if norm else None",
        "nn.BatchNorm1d(size) if norm == 'batch' else nn.LayerNorm(size)",
        "nn.Sequential(nn.ReLU(), select_norm(norm, size))",
    ],
)
def test_a_layer_that_may_be_another_tells_nothing(norm: str) -> None:
    assert _codes(norm) == []


@pytest.mark.parametrize(
    "norm",
    [
        "nn.BatchNorm1d(size)",
        "nn.BatchNorm1d(size) if norm == 'batch' else nn.Dropout(0.3)",
        "nn.BatchNorm1d(size) if norm == 'batch' else nn.Sequential(nn.LayerNorm(size), nn.Dropout(0.3))",
        "nn.Sequential(nn.ReLU(), nn.BatchNorm1d(size))",
    ],
)
def test_a_layer_of_which_each_form_has_modes_does(norm: str) -> None:
    assert _codes(norm) == ["LL302"]
