"""The ways by which a run came to a place, beside those of a finding: the same line may be right on one and wrong on another."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from looplint.finding import Call, Finding
from looplint.runtime.evidence.witness import Passed, Witness


def way_not_taken(finding: Finding, against: Sequence[Witness]) -> str:
    """A call that leads to a finding, and by which the run did not come to the place of those who speak against it; empty where there is none.

    The calls of a way are those that a stack can show: not those that make a generator, which other lines resume, nor those that start a thread.
    """
    passed = [each for witness in against for each in witness.passed]
    for way in filter(None, finding.ways if passed else ()):  # to what stands in no function leads no call
        following = [(call.filename, call.row) for call in way[1:]] + [(finding.filename, finding.location.row)]
        calls = [call for call, (file, row) in zip(way, following, strict=True) if not _in_generator(os.path.realpath(file), row)]
        missing = min((list(_missing(calls, each)) for each in passed), key=len)
        if missing:
            return f"{missing[0].filename}:{missing[0].row}"
    return ""


def _missing(calls: Sequence[Call], passed: Passed) -> Iterator[Call]:
    """The calls that are not in a stack; of one that begins in a thread, only those behind the first that is."""
    inside = not passed.threaded
    for call in calls:
        file = os.path.realpath(call.filename)
        there = any((file, row) in passed.places for row in range(call.row, call.end_row + 1))
        inside |= there
        if inside and not there:
            yield call


def _in_generator(path: str, row: int) -> bool:
    """Whether the innermost function around a line is a generator."""
    around = [function for function in _functions(path) if function[0] <= row <= function[1]]
    return bool(around) and max(around)[2]


@lru_cache
def _functions(path: str) -> tuple[tuple[int, int, bool], ...]:
    """The functions of a file: first line, last line, and whether each is a generator."""
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ()
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return tuple((node.lineno, node.end_lineno or node.lineno, any(map(_yields, node.body))) for node in functions)


def _yields(node: ast.AST) -> bool:
    """Whether a statement yields, outside of the functions that it defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    return isinstance(node, (ast.Yield, ast.YieldFrom)) or any(map(_yields, ast.iter_child_nodes(node)))
