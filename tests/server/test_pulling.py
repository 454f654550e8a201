"""When an editor that asks for diagnostics is told to ask again."""

from __future__ import annotations

from lsprotocol import types

from looplint.server.pulling import Pulls

HERE = types.Range(types.Position(0, 0), types.Position(0, 1))
FOUND = [types.Diagnostic(HERE, "found")]
OPEN = frozenset({"a", "b"})


def test_a_document_that_was_not_asked_for_yet_needs_no_other_question() -> None:
    assert not Pulls().outdated(OPEN, {"a": FOUND})


def test_it_is_told_where_what_it_knows_has_changed_and_only_there() -> None:
    pulls = Pulls()
    pulls.answer("a", FOUND, None)
    assert not pulls.outdated(OPEN, {"a": FOUND, "b": FOUND})
    assert pulls.outdated(OPEN, {"b": FOUND})


def test_it_is_not_told_while_it_is_answered() -> None:
    pulls = Pulls()
    pulls.answer("a", FOUND, None)
    with pulls.answering("a"):
        assert not pulls.outdated(OPEN, {})
    assert pulls.outdated(OPEN, {})


def test_a_document_that_was_closed_is_forgotten() -> None:
    pulls = Pulls()
    pulls.answer("a", FOUND, None)
    assert not pulls.outdated(frozenset(), {})
    assert not pulls.outdated(OPEN, {}), "it was opened again, and not asked for"
