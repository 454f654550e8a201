"""What is stored of the threads: the forms of their bugs, each with its threads and what was found of its program."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.mined_bugs.programs import PROGRAMS
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection

STORED = Path(__file__).with_name("threads.json")


@dataclass(frozen=True)
class Form:
    """A form of a bug.

    Attributes:
        group: the part of the page that it is in.
        words: what goes wrong, in a few words.
        program: the name of its minimal program, or None where there is none.
        rules: the rules that cover it.
        why: why it is missed, or no rule covers it.
        threads: repository and number of each thread, and the year in which it was begun.
        found: those of the rules that report the program.
    """

    group: str
    words: str
    program: str | None
    rules: tuple[str, ...]
    why: str
    threads: tuple[Mapping[str, Any], ...]
    found: tuple[str, ...]


@dataclass(frozen=True)
class Other:
    """Threads about something else, and about what."""

    reason: str
    threads: tuple[Mapping[str, Any], ...]


@cache
def forms() -> tuple[Form, ...]:
    return tuple(
        Form(e["group"], e["form"], e["program"], tuple(e["rules"]), e["why"], tuple(e["threads"]), tuple(e["found"]))
        for e in json.loads(STORED.read_text(encoding="utf-8"))["forms"]
    )


@cache
def others() -> tuple[Other, ...]:
    return tuple(Other(e["reason"], tuple(e["threads"])) for e in json.loads(STORED.read_text(encoding="utf-8"))["others"])


def found_in(form: Form) -> tuple[str, ...]:
    """Those of a form's rules that report its minimal program now, all rules being asked."""
    return tuple(c for c in form.rules if c in codes_in(PROGRAMS[form.program])) if form.program else ()


def codes_in(text: str) -> frozenset[str]:
    """The rules that report something in a program, all rules being asked."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_text(text, encoding="utf-8")
        return frozenset(f.code for f in lint_paths([str(path)], Selection(select=("ALL",)), jobs=1).findings)


def store() -> None:
    """Keep what is found now."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for entry in stored["forms"]:
        form = Form("", "", entry["program"], tuple(entry["rules"]), "", (), ())
        entry["found"] = list(found_in(form))
    STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    forms.cache_clear()
