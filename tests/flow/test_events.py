"""Each kind of event has a class, which rules can import and read about, and automata name no other kinds."""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from looplint import rule
from looplint.flow import events, remarks
from looplint.flow.automaton import Automaton
from looplint.flow.kinds import EVENT_KINDS
from looplint.linting.catalogue import folder, rule_files


def _classes() -> Iterator[type[events.Event]]:
    for module in (events, remarks):
        for cls in vars(module).values():
            if inspect.isclass(cls) and issubclass(cls, events.Event) and cls.__module__ == module.__name__:
                yield cls


CLASSES = list(_classes())


def test_each_kind_has_a_class() -> None:
    assert {cls.kind for cls in CLASSES if hasattr(cls, "kind")} == set(EVENT_KINDS)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_is_described_and_can_be_imported_by_rules(cls: type[events.Event]) -> None:
    assert vars(cls).get("__doc__")
    assert getattr(rule, cls.__name__) is cls and cls.__name__ in rule.__all__


@pytest.mark.parametrize("path", rule_files(folder()), ids=lambda path: path.stem)
def test_automata_speak_of_kinds_that_are_in_the_graph(path: Path) -> None:
    for automaton in runpy.run_path(str(path)).values():
        if isinstance(automaton, Automaton):
            assert automaton.kinds <= {cls.kind for cls in CLASSES if hasattr(cls, "kind") and not issubclass(cls, remarks.Remark)}
