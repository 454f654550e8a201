"""When an editor that pulls diagnostics needs a refresh."""

from __future__ import annotations

from lsprotocol import types

from looplint.server.pulling import Pulls

HERE = types.Range(types.Position(0, 0), types.Position(0, 1))
FOUND = [types.Diagnostic(HERE, "found")]
OPEN = frozenset({"a", "b"})


def test_a_document_without_a_report_needs_no_refresh() -> None:
    assert not Pulls().outdated(OPEN, {"a": FOUND})


def test_a_refresh_is_needed_where_the_last_report_has_changed_and_only_there() -> None:
    pulls = Pulls()
    pulls.answer("a", FOUND, None)
    assert not pulls.outdated(OPEN, {"a": FOUND, "b": FOUND})
    assert pulls.outdated(OPEN, {"b": FOUND})


def test_no_refresh_is_needed_while_a_report_is_computed() -> None:
    pulls = Pulls()
    pulls.answer("a", FOUND, None)
    with pulls.answering("a"):
        assert not pulls.outdated(OPEN, {})
    assert pulls.outdated(OPEN, {})


def test_a_document_that_was_closed_is_forgotten() -> None:
    pulls = Pulls()
    pulls.answer("a", FOUND, None)
    assert not pulls.outdated(frozenset(), {})
    assert not pulls.outdated(OPEN, {}), "it was opened again, and not pulled"
