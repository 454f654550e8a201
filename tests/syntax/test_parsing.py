"""What is kept of the modules that were parsed: an imported one is packed where others need the room, and says the same afterwards."""

from collections.abc import Iterator
from typing import Any

import libcst as cst
import pytest

from looplint.sources.reading import Source
from looplint.syntax import ir, packing, parsing
from looplint.syntax.positions import span
from looplint.syntax.project import ModuleInfo
from looplint.syntax.site import Site

TEXT = "def step(optimizer, loss):\n    # why\n    loss.backward( )\n    for turn in range(3):\n        optimizer.step()\n\n\nclass Net:\n    x: int = 1\n"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Room for one text."""
    for name, value in {"_kept": {}, "_imported": set(), "_packed": {}, "_MOST_KEPT": len(TEXT) + 20}.items():
        monkeypatch.setattr(parsing, name, value)
    yield


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the parser was given."""
    texts: list[str] = []
    parse = cst.parse_module

    def note(text: str, *args: Any) -> cst.Module:
        texts.append(text)
        return parse(text, *args)

    monkeypatch.setattr(cst, "parse_module", note)
    return texts


def push_out() -> None:
    parsing.parsed("x = 1  # " + "x" * len(TEXT))


def test_an_imported_module_is_parsed_once(parses: list[str]) -> None:
    before = parsing.parsed(TEXT, imported=True)
    push_out()
    assert TEXT not in parsing._kept
    after = parsing.parsed(TEXT, imported=True)
    assert parses.count(TEXT) == 1
    assert after is not before
    assert after.tree.code == TEXT
    assert [(f.qualname, ir.render(c.call)) for f in after.functions for c in after.gradient_calls if c.function is f] == [
        ("step", "loss.backward()"),
        ("step", "optimizer.step()"),
    ]
    assert [list(c.fields) for c in after.classes] == [["x"]]


def test_nodes_of_an_unpacked_module_have_their_places() -> None:
    parsing.parsed(TEXT, imported=True)
    push_out()
    code = parsing.parsed(TEXT)
    info = ModuleInfo(None, "step.py", Source(None, "step.py", b"", TEXT), code)
    assert [span(Site(info, c.call.node))[0].row for c in code.gradient_calls] == [3, 5]


def test_facts_of_a_packed_module_are_found_out_again() -> None:
    asked: list[ir.ModuleCode] = []

    @ir.kept_with_code
    def fact(code: ir.ModuleCode) -> int:
        asked.append(code)
        return len(asked)

    assert fact(parsing.parsed(TEXT, imported=True)) == 1
    push_out()
    assert fact(parsing.parsed(TEXT, imported=True)) == 2


def test_a_linted_file_that_nothing_imports_is_not_packed(parses: list[str]) -> None:
    parsing.parsed(TEXT)
    push_out()
    assert not parsing._packed
    parsing.parsed(TEXT)
    assert parses.count(TEXT) == 2


def test_packed_modules_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_MOST_PACKED", 6_000)
    for number in range(12):
        parsing.parsed(f"name = {number}\n" + TEXT, imported=True)
    assert 0 < sum(map(len, parsing._packed.values())) <= 6_000


def test_what_is_too_deep_to_be_packed_is_parsed_again(parses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def pack(_: object) -> None:
        return None

    monkeypatch.setattr(packing, "pack", pack)
    parsing.parsed(TEXT, imported=True)
    push_out()
    assert parsing.parsed(TEXT, imported=True).tree.code == TEXT
    assert parses.count(TEXT) == 2
