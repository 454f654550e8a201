"""A dropout at a rate that a setting out of sight gives, and that is 0 where the model is given none, is there for who asks for it: it may drop nothing."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, dropout=0):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.drop = {layer}

    def forward(self, x):
        return self.drop(self.layer(x))


class Net(nn.Module):
    def __init__(self, width, dropout{default}):
        super().__init__()
        self.blocks = self.build(width, dropout)

    def build(self, width, rate):
        return nn.Sequential(Block(width, dropout=rate), nn.ReLU(){norm})

    def forward(self, x):
        return self.blocks(x)


def restored(path):
    checkpoint = torch.load(path)
    model = Net(checkpoint["args"].width, dropout={rate})
    model.load_state_dict(checkpoint["model"])
    return model


def main(loader):
    model = restored("model.pt")
    hits = 0
    for x, y in loader:
        with torch.no_grad():
            hits += (model(x).argmax(1) == y).sum().item()
    print(hits)


main(LOADER)
"""


def codes(layer: str = "nn.Dropout(dropout)", default: str = "=0.0", norm: str = "", rate: str = "checkpoint['args'].dropout") -> list[str]:
    program = PROGRAM.format(layer=layer, default=default, norm=norm, rate=rate)
    return [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL302"]


@pytest.mark.parametrize("layer", ["nn.Dropout(dropout)", "nn.Dropout(p=dropout)", "nn.Dropout2d(dropout, inplace=True)"])
@pytest.mark.parametrize("default", ["=0.0", "=0", "=None"])
def test_a_dropout_that_is_asked_for(layer: str, default: str) -> None:
    assert not codes(layer, default)


@pytest.mark.parametrize(
    "changed",
    [
        {"default": "=0.1"},
        {"rate": "0.2"},
        {"layer": "nn.Dropout(0.1)"},
        {"layer": "nn.Dropout()"},
        {"norm": ", nn.BatchNorm1d(width)"},
    ],
    ids=str,
)
def test_what_drops_without_being_asked(changed: dict[str, str]) -> None:
    assert codes(**changed) == ["LL302"]
