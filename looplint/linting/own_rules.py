"""Running the file of a user's own rule: what it misspells is said with its line, before it is asked anything."""

from __future__ import annotations

import ast
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from looplint.errors import UserError
from looplint.flow.kinds import EVENT_KINDS, Misspelt, no_such_event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


def execute(file: Path, raw: bytes, module: ModuleType) -> None:
    """Run a rule as its text is now: bytecode is taken for that of a text by its second and its size, and a user's rule is edited and run again at once.

    Raises:
        UserError: it fails, names an event or a state that there is not, or reads files that its text does not name.
        SyntaxError: it is no Python.
    """
    tree = ast.parse(raw)
    for row, word in _events_compared(tree):
        if word not in EVENT_KINDS:
            raise UserError(f"{file}:{row}: {no_such_event(word)}")
    try:
        exec(compile(raw, str(file), "exec", dont_inherit=True), vars(module))
    except UserError:
        raise
    except Misspelt as error:
        row = _row(file, error)
        rows = [n.lineno for n in ast.walk(tree) if isinstance(n, ast.Constant) and n.value == error.word and n.lineno >= row]
        raise UserError(f"{file}:{min(rows, default=row)}: {error}") from error
    except Exception as error:
        raise UserError(f"{file}:{_row(file, error)}: the rule cannot be loaded: {type(error).__name__}: {error}") from error
    if getattr(module, "READS", ()) != written_reads(file, raw):
        # A run that finds its results in the cache executes no rule, and knows of what it reads by its text alone.
        raise _computed(file)


def written_reads(file: Path, raw: bytes) -> tuple[str, ...]:
    """The names of files in the line `READS = ("names.txt",)` of a rule.

    Raises:
        UserError: they are not written out.
    """
    names: object = ()
    try:
        for statement in ast.parse(raw).body:
            match statement:
                case (
                    ast.Assign(targets=[ast.Name("READS")], value=value)
                    | ast.AnnAssign(target=ast.Name("READS"), value=ast.expr() as value)
                ):
                    names = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        names = None
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        raise _computed(file)
    return names


def _computed(file: Path) -> UserError:
    return UserError(f'{file}: READS has to be a tuple of names of files that are written out: READS = ("names.txt",)')


def _row(file: Path, error: Exception) -> int:
    """The line of a rule that an exception comes from."""
    return next((frame.lineno or 1 for frame in reversed(traceback.extract_tb(error.__traceback__)) if Path(frame.filename) == file), 1)


def _events_compared(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The words with which the kind of an event is compared (`visit.event.kind == "step"`), and their lines: a wrong one is never met."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(map(_is_kind, (left, *others))):
                compared: list[ast.expr | ast.pattern] = [left, *others]
            case ast.Match(subject=subject, cases=cases) if _is_kind(subject):
                compared = [case.pattern for case in cases]
            case _:
                continue
        for part in compared:
            for each in ast.walk(part):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.lineno, each.value


def _is_kind(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name("event") | ast.Attribute(attr="event"), attr="kind"):
            return True
    return False
