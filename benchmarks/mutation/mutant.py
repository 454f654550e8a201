"""A planted bug: the changed text and what was done to it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks.mutation.script import Op, Script, Unfit


@dataclass(frozen=True, slots=True)
class Mutant:
    """A planted bug. `right` is the text without it, which a repair should be equal to in effect; None where no such text is known.

    `earlier` is a run that leaves the files which both read, where they read some.
    """

    code: str
    description: str
    text: str
    line: int
    right: str | None
    earlier: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a mutator proposes: a form of the bug and the edits that plant it.

    `right` are the edits that do the same work in the right place, where the bug brings work that the script did not do before (a new
    clip, a new schedule); none where the script itself is right, and None where nothing right is known. `earlier` make the run whose files the script then reads.
    """

    form: str
    ops: tuple[Op, ...]
    right: tuple[Op, ...] | None = ()
    earlier: tuple[Op, ...] | None = None


Mutator: TypeAlias = Callable[[Script], Iterator[Change]]


def read_program(source: str, siblings: Mapping[str, str] | None = None) -> Script:
    """A script with the other files of its program, which conditions such as "nothing else clears" look at too."""
    return Script(source, tuple(Script(text) for _, text in sorted((siblings or {}).items())))


def planted(code: str, mutator: Mutator, script: Script) -> Iterator[Mutant]:
    """Each change of a mutator that can be written, that parses and that no other change has made already."""
    seen = {script.source}
    for change in mutator(script):
        try:
            text = script.apply(change.ops)
            ast.parse(text)
        except (Unfit, SyntaxError):
            continue
        if text not in seen:
            seen.add(text)
            yield Mutant(
                code, change.form, text, first_difference(script.source, text), _text(script, change.right), _text(script, change.earlier)
            )


def _text(script: Script, ops: tuple[Op, ...] | None) -> str | None:
    if ops is None:
        return None
    if not ops:
        return script.source
    try:
        text = script.apply(ops)
        ast.parse(text)
    except (Unfit, SyntaxError):
        return None
    return text


def first_difference(before: str, after: str) -> int:
    """The 1-based line from which two texts differ."""
    old, new = before.splitlines(), after.splitlines()
    for number, (left, right) in enumerate(zip(old, new, strict=False), 1):
        if left != right:
            return number
    return min(len(old), len(new)) + 1
