"""LL505 and a plain container of parameters: it says so, and `nn.ParameterList` registers them."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gates = {container}

    def forward(self, x):
        return sum(x @ gate for gate in {gates})
"""


@pytest.mark.parametrize(
    ("container", "gates", "wrapper"),
    [
        ("[nn.Parameter(torch.rand(3, 3)) for _ in range(n)]", "self.gates", "nn.ParameterList"),
        ("[nn.Parameter(torch.rand(3)), nn.Parameter(torch.rand(3))]", "self.gates", "nn.ParameterList"),
        ("{'a': nn.Parameter(torch.rand(3)), 'b': nn.Parameter(torch.rand(3))}", "self.gates.values()", "nn.ParameterDict"),
        ("[nn.Linear(3, 3) for _ in range(n)]", "(layer.weight for layer in self.gates)", "nn.ModuleList"),
    ],
    ids=["comprehension", "list", "dict", "modules"],
)
def test_they_are_named_and_registered(container: str, gates: str, wrapper: str) -> None:
    program = PROGRAM.format(container=container, gates=gates)
    (finding,) = (f for f in looplint.lint(program, isolated=True) if f.code == "LL505")
    assert f"its {'modules' if 'Module' in wrapper else 'parameters'} are not in parameters()" in finding.message
    fixed = looplint.fix(program, isolated=True, unsafe=True, select=["LL505"]).text
    assert f"self.gates = {wrapper}({container})" in fixed
    assert (looplint.fix(program, isolated=True, select=["LL505"]).text == program) == ("Parameter(" in container)
