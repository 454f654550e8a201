"""A plain container of modules that one branch gives an attribute, where another one gives it a module."""

from __future__ import annotations

import pytest

from programs import assert_marked

BRANCHES = """
        from e3nn import o3


        class Net(nn.Module):
            def __init__(self, depth, form):
                super().__init__()
                if FIRST:
                    self.fc = ONE
                SECOND:
                    self.fc = []MARK
                    for _ in range(depth):
                        self.fc.append(LAYER)

            def forward(self, x):
                for layer in self.fc:
                    x = layer(x)
                return x
        """
DEFAULTS = {"FIRST": 'form == "flat"', "SECOND": "else", "ONE": "nn.Linear(8, 8)", "LAYER": "nn.Linear(8, 8)", "MARK": ""}
LOST = {
    "else": {},
    "another form": {"FIRST": 'form in ["flat", "plain"]', "SECOND": 'elif form in ["deep"]'},
    "a test and its contrary": {"FIRST": "form", "SECOND": "if not form"},
    "layers of a library": {"ONE": "o3.Linear('8x0e', '8x0e')", "LAYER": "o3.Linear('8x0e', '8x0e')"},
}
KEPT = {
    "both may be": {"SECOND": "if depth"},
    "a module list in its place": {
        "SECOND": 'if depth > 3:\n                    self.fc = nn.ModuleList()\n                if form != "flat"'
    },
    "what has no parameters": {"LAYER": "nn.ReLU()"},
    "no modules": {"LAYER": "o3.Irreps('8x0e')"},
}
BASE = """
        from abc import abstractmethod


        class Block(nn.Module):
            def __init__(self, depth):
                super().__init__()
                self.depth = depth
                CALL

            @abstractmethod
            def build(self):
                raise NotImplementedError


        class Stack(Block):
            def build(self):
                self.fc = CONTAINERMARK

            def forward(self, x):
                for layer in self.fc:
                    x = layer(x)
                return x
        """
LIST = "[nn.Linear(8, 8) for _ in range(self.depth)]"


def _program(changes: dict[str, str]) -> str:
    text = BRANCHES
    for name, value in {**DEFAULTS, **changes}.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize("changes", LOST.values(), ids=LOST)
def test_what_another_branch_gives_is_not_in_its_place(changes: dict[str, str]) -> None:
    assert_marked(_program({**changes, "MARK": "  # expect: LL505"}))


@pytest.mark.parametrize("changes", KEPT.values(), ids=KEPT)
def test_what_may_be_in_its_place(changes: dict[str, str]) -> None:
    assert_marked(_program(changes))


def test_parts_that_a_base_has_made() -> None:
    program = BASE.replace("CALL", "self.build()")
    assert_marked(program.replace("CONTAINER", LIST).replace("MARK", "  # expect: LL505"))
    assert_marked(program.replace("CONTAINER", f"nn.ModuleList({LIST})").replace("MARK", ""))


def test_parts_that_nobody_makes() -> None:
    assert_marked(BASE.replace("CALL", "pass").replace("CONTAINER", LIST).replace("MARK", ""))
