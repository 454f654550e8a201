"""LL505: modules in a list that reach a module by way of `sum(lists, [])`, `zip` and slices are registered there."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth: int):
        super().__init__()
        self.layers = [nn.Linear(3, 3) for _ in range(depth)]{mark}
        activations = [nn.ELU() for _ in range(depth)]
        self.body = nn.Sequential(*{given})

    def forward(self, x):
        return self.body(x)

    def correct(self):
        for layer in self.layers:
            layer.weight.data *= 0.5
"""


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        ("sum(zip(self.layers, activations), ())[:-1]", ""),
        ("sum([[layer, nn.ReLU()] for layer in self.layers], [])", ""),
        ("sum([self.layers, activations], start=[])", ""),
        ("sum(zip(activations, activations), ())", "  # expect: LL505"),
        ("activations[: sum([1, 2])]", "  # expect: LL505"),
    ],
)
def test_modules_of_lists_that_are_put_together(given: str, mark: str) -> None:
    assert_marked(PROGRAM.format(given=given, mark=mark))
