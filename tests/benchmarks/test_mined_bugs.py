"""The page about mined bugs says what is stored, and the minimal programs are found as stored. `pytest --bless` writes the tables anew."""

from __future__ import annotations

import ast

import pytest

from benchmarks.mined_bugs.page import rendered
from benchmarks.mined_bugs.programs import CORRECT, PROGRAMS, edit
from benchmarks.mined_bugs.tables import Form, codes_in, forms, found_in, others
from looplint.linting.catalogue import load
from places import ROOT

PAGE = ROOT / "docs" / "mined-bugs.md"


def test_the_page_has_what_is_stored(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    wanted = rendered(page)
    if request.config.getoption("--bless"):
        PAGE.write_text(wanted, encoding="utf-8")
    assert page == wanted or request.config.getoption("--bless")


def test_each_thread_stands_once_and_each_form_has_its_reason() -> None:
    named = [t["thread"] for f in forms() for t in f.threads] + [t["thread"] for o in others() for t in o.threads]
    assert len(named) == len(set(named)) >= 200
    assert all(name.count("/") == name.count("#") == 1 for name in named)
    codes = {rule.code for rule in load()}
    for form in forms():
        assert form.threads and set(form.found) <= set(form.rules) <= codes
        assert bool(form.found) != bool(form.why), form.words
        assert form.program is not None or not form.rules
    used = [f.program for f in forms() if f.program]
    assert sorted(used) == sorted(PROGRAMS)


def test_what_is_not_there_is_not_replaced() -> None:
    assert edit("a b", "a", "c") == "c b"
    with pytest.raises(ValueError, match="nothing to replace: 'd'"):
        edit("a b", "d", "c")


@pytest.mark.slow
@pytest.mark.parametrize("form", [f for f in forms() if f.program], ids=lambda form: form.program)
def test_the_program_is_found_as_stored(form: Form) -> None:
    assert found_in(form) == form.found


@pytest.mark.slow
@pytest.mark.parametrize("name", CORRECT)
def test_the_correct_programs_are_silent(name: str) -> None:
    ast.parse(CORRECT[name])
    assert {code for code in codes_in(CORRECT[name]) if code.startswith("LL")} == set()
