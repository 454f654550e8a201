"""Dropout at the rate 0, by the configuration that a model is built with, differs between no modes: LL302 has nothing to say."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import dataclasses
from dataclasses import asdict, dataclass, field, replace

import torch
from torch import nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Shape:
    width: int = 4
    words: int = 128
    dropout: float = RATE


@dataclass
class Experiment:
    shape: Shape = field(default_factory=Shape)


class Attention(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.key = nn.Linear(shape.width, shape.width)
        self.drop = nn.Dropout(shape.dropout)
        self.rate = shape.dropout

    def forward(self, x):
        k = self.key(x)
        return DROPPED


class Net(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.blocks = nn.ModuleList([Attention(shape) for _ in range(3)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def run(experiment, data, valid):
    net = Net(SHAPE)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for x, y in data:
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        with torch.no_grad():
            total = 0
            for x, y in valid:
                total += F.cross_entropy(net(x), y).item()
        print(total / len(valid))


run(Experiment(shape=Shape(width=8)), loader(), loader())
"""
SHAPES = [
    "experiment.shape",
    "Shape(**asdict(experiment.shape))",
    "Shape(**{**dataclasses.asdict(experiment.shape), 'words': 9})",
    "Shape(**asdict(experiment)['shape'])",
    "replace(experiment.shape, words=9)",
    "dataclasses.replace(experiment, shape=experiment.shape).shape",
]
DROPPED = [
    "self.drop(k)",
    "F.dropout(k, self.rate, self.training)",
    "F.dropout(k, p=self.rate, training=self.training)",
    "F.scaled_dot_product_attention(x, k, k, dropout_p=self.rate if self.training else 0.0)",
    "F.scaled_dot_product_attention(x, k, k, dropout_p=0.0 if not self.training else self.drop.p)",
]


def found(rate: str, shape: str, dropped: str) -> list[str]:
    program = PROGRAM.replace("RATE", rate).replace("SHAPE", shape).replace("DROPPED", dropped)
    return [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL302"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_rate_is_known_through_copies_of_a_configuration(shape: str) -> None:
    assert found("0.0", shape, DROPPED[0]) == []
    assert found("0.1", shape, DROPPED[0]) == ["LL302"]


@pytest.mark.parametrize("dropped", DROPPED)
def test_a_forward_that_drops_nothing_has_no_mode(dropped: str) -> None:
    assert found("0.0", SHAPES[0], dropped) == []
    assert found("0.1", SHAPES[0], dropped) == ["LL302"]


@pytest.mark.parametrize(
    ("shape", "dropped"),
    [
        ("Shape(**{**asdict(experiment.shape), 'dropout': 0.3})", DROPPED[0]),
        ("replace(experiment.shape, dropout=0.3)", DROPPED[0]),
        ("replace(experiment.shape, dropout=0.3)", DROPPED[4]),
        (SHAPES[0], "F.dropout(k, 0.1, self.training)"),
        (SHAPES[0], "F.scaled_dot_product_attention(x, k, k, dropout_p=0.2 if self.training else 0.0)"),
        (SHAPES[0], "k * 2 if self.training else k"),
    ],
)
def test_another_rate_is_told_of(shape: str, dropped: str) -> None:
    assert found("0.0", shape, dropped) == ["LL302"]


@pytest.mark.parametrize(
    "setting",
    [
        "for name, value in options.items():\n    setattr(experiment.shape, name, value)",
        "vars(experiment.shape).update(options)",
    ],
)
def test_a_rate_is_not_known_where_names_are_computed(setting: str) -> None:
    program = PROGRAM.replace("RATE", "0.0").replace("SHAPE", SHAPES[1]).replace("DROPPED", DROPPED[0])
    program = program.replace(
        "run(Experiment(shape=Shape(width=8))", f"experiment = Experiment(shape=Shape(width=8))\n{setting}\nrun(experiment"
    )
    assert [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL302"] == ["LL302"]
