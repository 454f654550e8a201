"""The page about collected silent errors says what is stored, and the text finds what is stored of it. `pytest --bless` writes the tables anew."""

from __future__ import annotations

import pytest

from benchmarks.silent_errors.__main__ import in_text
from benchmarks.silent_errors.page import lacking, rendered
from benchmarks.silent_errors.samples import IMPORTS, parses
from benchmarks.silent_errors.tables import HERE, Shown, errors, programs
from looplint.linting.catalogue import load
from places import ROOT

PAGE = ROOT / "docs" / "silent-errors.md"


def test_the_page_has_what_is_stored(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    wanted = rendered(page)
    if request.config.getoption("--bless"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert page == wanted or request.config.getoption("--bless")


def test_errors_are_whole() -> None:
    tables, shown = errors(), programs()
    for table, entries in tables.items():
        assert entries and not [e for e in entries if lacking(table, e)]
        assert {e["program"] for e in entries if "program" in e} <= shown.keys()
        # An error that nothing finds has a reason, in its row or in that of its program.
        for entry in entries:
            program = shown.get(entry.get("program", ""))
            assert entry.get("out") or entry.get("why") or (program and (program.found or program.why)), entry
    used = {e["program"] for entries in tables.values() for e in entries if "program" in e}
    assert used == shown.keys() == {path.stem for path in (HERE / "programs").glob("*.py")}


def test_programs_name_rules() -> None:
    codes = {rule.code for rule in load()}
    for program in programs().values():
        assert set(program.codes) <= codes
        assert set(program.text) | set(program.run) <= set(program.codes)


@pytest.mark.parametrize("program", programs().values(), ids=lambda program: program.name)
def test_the_text_finds_what_is_stored(program: Shown) -> None:
    assert in_text(program) == program.text


def test_posts_are_read_with_their_imports() -> None:
    assert parses(IMPORTS)
    assert not parses("print 'of an older Python'")
