"""Bases are looked up in Python's own order: what a mixin does not hand on is not asked where a library's class stands before it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from abc import ABC

class Base(nn.Module, ABC):
    def __init__(self, width):
        super().__init__()
        self.width = width

class Mixin(ABC):
    def __init__(self, sampler=None):
        self.sampler = sampler

class Drawn({drawn}):
    def __init__(self, width):
        super().__init__(width)
        Mixin.__init__(self)
        self.head = nn.Linear(width, 2){mark}

class OneShot(Base, ABC):
    pass

class Net(Drawn, OneShot):
    def forward(self, x):
        return self.head(x)

net = Net(3)
"""


@pytest.mark.parametrize("drawn", ["Base, Mixin, ABC", "Base, Mixin", "OneShot, Mixin, ABC"])
def test_the_constructor_of_torch_has_run(drawn: str) -> None:
    program = PROGRAM.replace("{mark}", "")
    if drawn.startswith("OneShot"):  # a class must be there before another derives from it
        before, shot = "class Drawn", "class OneShot(Base, ABC):\n    pass\n\n"
        program = program.replace(shot, "").replace(before, shot + before)
    assert_marked(program.replace("{drawn}", drawn))


def test_a_mixin_that_stands_before_it_hands_nothing_on() -> None:
    program = PROGRAM.replace("super().__init__(width)", "super().__init__()")
    assert_marked(program.replace("{drawn}", "Mixin, Base").replace("{mark}", "  # expect: LL506"))


MIXED_IN = """
class Detector(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width


class Masks(nn.Module):
    def __init__(self, heads):
        self.head = nn.Linear(8, heads){mark}


class Segmenter({bases}):
    def __init__(self, width, heads):
        {before}
        Masks.__init__(self, heads)
"""


def test_a_mixin_finds_what_another_base_has_set_up() -> None:
    assert_marked(MIXED_IN.format(bases="Masks, Detector", before="Detector.__init__(self, width)", mark=""))


def test_a_base_alone_has_to_call_the_constructor_of_torch() -> None:
    assert_marked(MIXED_IN.format(bases="Masks", before="print(width)", mark="  # expect: LL506"))
