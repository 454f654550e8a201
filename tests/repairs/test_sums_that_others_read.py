"""LL402's repair of a sum that is kept on an object: where another object's code reads it, that may send it backward."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)
        self.penalty = 0.0

    def sample(self, x):
        self.penalty += self.cell(x).pow(2).sum()
        return self.cell(x)


controller = Controller()
optimizer = torch.optim.SGD(controller.parameters(), lr=0.1)
for x in torch.randn(8, 4, 3):
    optimizer.zero_grad()
    controller.sample(x).mean().backward()
    optimizer.step()
{read}
"""


@pytest.mark.parametrize(
    ("read", "safe"),
    [
        ("", True),
        ("print(controller.cell(torch.ones(3)).sum())", True),
        ("\n\ndef other(guide, loss):\n    return loss + 0.1 * guide.controller.penalty", False),
        ("\n\nclass Search:\n    def loss(self):\n        return 0.1 * self.controller.penalty", False),
    ],
    ids=["nobody", "another name", "a function", "a trainer"],
)
def test_it_is_safe_where_its_own_class_alone_reads_it(read: str, safe: bool) -> None:
    program = PROGRAM.format(read=read)
    assert [f.code for f in looplint.lint(program, isolated=True, select=["LL402"])] == ["LL402"]
    assert (looplint.fix(program, isolated=True, select=["LL402"]).text != program) == safe
    assert looplint.fix(program, isolated=True, select=["LL402"], unsafe=True).text != program
