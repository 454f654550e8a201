"""Which moves and conversions of a new parameter leave a module without it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import looplint

MODULE = """
import torch
from torch import nn
class Scale(nn.Module):
    def __init__(self, width, device, start, other):
        super().__init__()
        self.weight = {built}
    def forward(self, x):
        return x * self.weight
{after}
"""
LOST = [
    "nn.Parameter(torch.ones(width)).to(device)",
    "nn.Parameter(torch.ones(width)).to(device=device, non_blocking=True)",
    "nn.Parameter(torch.ones(width)).to(**other)",
    "nn.Parameter(torch.zeros(width) + 1).cuda()",
    "nn.Parameter(data=torch.ones(width), requires_grad=True).to(start.device)",
    "torch.nn.parameter.Parameter(torch.Tensor(width)).to(torch.float64)",
    "nn.Parameter(torch.ones(width)).half()",
]
KEPT = [
    "nn.Parameter(torch.ones(width).to(device))",
    "nn.Parameter(torch.ones(width).to(device)).to(device)",
    "nn.Parameter(torch.ones(width, device=device)).to(device)",
    "nn.Parameter(start.new_zeros(width)).cuda()",
    "nn.Parameter(start).to(device)",
    "nn.Parameter(torch.ones(width)).to('cpu')",
    "nn.Parameter(torch.ones(width)).float()",
    "nn.Parameter(torch.ones(width), requires_grad=False).to(device)",
    "nn.Linear(width, width).to(device)",
]


def codes(built: str, after: str = "") -> list[str]:
    return [f.code for f in looplint.lint(MODULE.format(built=built, after=after), isolated=True)]


@pytest.mark.parametrize("built", LOST)
def test_what_a_move_gives_is_no_parameter(built: str) -> None:
    assert codes(built) == ["LL508"]


@pytest.mark.parametrize("built", KEPT)
def test_what_stays_where_it_is_stays_a_parameter(built: str) -> None:
    assert codes(built) == []


def test_a_module_that_is_built_on_the_cpu_loses_nothing() -> None:
    assert codes("nn.Parameter(torch.ones(width)).to(device)", "Scale(3, 'cpu', None, {})\n") == []
    assert codes("nn.Parameter(torch.ones(width)).to(device)", "Scale(3, 'cuda', None, {})\n") == ["LL508"]


def test_torch_gives_a_tensor_where_anything_changes() -> None:
    parameter = nn.Parameter(torch.ones(2))
    assert parameter.to("cpu") is parameter and parameter.float() is parameter
    assert not isinstance(parameter.to(torch.float64), nn.Parameter)
    assert not isinstance(parameter.to("meta"), nn.Parameter)


AFTERWARDS = """
    def renew(self, graph):
        {statement}
"""


@pytest.mark.parametrize("statement", ["self.weight = graph @ self.bias", "self.weight, rest = graph", "self.weight = self.weight * 2"])
def test_what_is_set_again_was_meant_to_be_no_parameter(statement: str) -> None:
    assert codes("nn.Parameter(torch.ones(width)).to(device)", AFTERWARDS.format(statement=statement)) == []


@pytest.mark.parametrize(
    "statement",
    ["self.bias = graph", "self.weight.data = graph", "weight = self.weight", "self.weight *= 2", "self.weight = nn.Parameter(graph)"],
)
def test_what_is_only_read_or_filled_is_lost(statement: str) -> None:
    assert codes("nn.Parameter(torch.ones(width)).to(device)", AFTERWARDS.format(statement=statement)) == ["LL508"]
