"""A module takes no tensor in the place of a parameter that it has registered: what `to()` gives cannot be assigned there."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.nn import Parameter

class Base(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.offset = nn.Parameter(torch.zeros(shape))
        self.register_buffer("scale", torch.ones(shape))
        self.gain = Parameter(torch.ones(shape))

    def forward(self, x):
        return (x + self.offset) * self.scale * self.gain

class Attack(Base):
    def place(self, device):
        {}

    def forward(self, x):
        return super().forward(x) + self.offset.mean() + self.scale.mean() + self.gain.sum()
"""


def repairs(statement: str) -> list[bool]:
    found = looplint.lint(PROGRAM.format(statement), isolated=True)
    return [f.fix is not None for f in found if f.code == "LL503"]


@pytest.mark.parametrize("statement", ["self.gain.to(device)", "self.gain.cuda()", "self.gain.double()"])
def test_a_parameter_is_not_assigned(statement: str) -> None:
    assert repairs(statement) == [False]


@pytest.mark.parametrize("statement", ["self.scale.to(device)", "self.scale.cuda()"])
def test_a_buffer_is(statement: str) -> None:
    assert repairs(statement) == [True]
