"""Classes that are given types, `Policy[Batch]`: they are the classes themselves, as bases and where they are called."""

from __future__ import annotations

import pytest

from looplint.domain.objects import Module
from looplint.flow.events import Forward
from looplint.linting.analysis import build_program
from looplint.sources.reading import from_text

PROGRAM = """
from typing import Generic, TypeVar

import torch
from torch import nn

Sample = TypeVar("Sample")


class Flow(nn.Module{generic}):
    def __init__(self, policy):
        super().__init__()
        self.policy = policy


class Balanced(Flow{types}):
    def __init__(self, policy):
        super().__init__(policy)
        self.scale = nn.Parameter(torch.zeros(()))

    def loss(self, x):
        return (self.policy(x) * self.scale).pow(2).mean()


flow = Balanced{called}(nn.Linear(4, 4)).to("cpu")
optimizer = torch.optim.Adam(flow.parameters())
for x in [torch.ones(2, 4)] * 3:
    flow.loss(x).backward()
    optimizer.step()
"""


def _owners_of_layers(program: str) -> list[str]:
    """The classes of which the modules that are called are parts."""
    built, _ = build_program(from_text(program, None, "train.py"))
    layers = [o for e in built.of(Forward) for o in e.subjects if isinstance(o, Module)]
    return [o.parent.cls.cls.name if o.parent is not None and o.parent.cls is not None else "none" for o in layers]


@pytest.mark.parametrize("generic", ["", ", Generic[Sample]"], ids=["plain", "generic"])
@pytest.mark.parametrize(
    "types", ["", "[Sample]", "[list]", "[tuple[Sample, int]]"], ids=["of nothing", "of a variable", "of a class", "of several"]
)
@pytest.mark.parametrize("called", ["", "[list]"], ids=["called as it is", "called with types"])
def test_a_class_with_types_has_the_members_of_its_bases(generic: str, types: str, called: str) -> None:
    assert _owners_of_layers(PROGRAM.format(generic=generic, types=types, called=called)) == ["Balanced"]


def test_a_base_that_is_looked_up_in_a_table_is_what_stands_there() -> None:
    table = PROGRAM.replace("class Balanced(Flow{types})", "TABLE = {{'flow': Flow}}\n\n\nclass Balanced(TABLE['flow'])")
    assert _owners_of_layers(table.format(generic="", types="", called="")) == ["Balanced"]
