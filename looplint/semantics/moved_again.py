"""Conversions whose result is dropped, and that are done again before anything is read: `y.to(device)`, and below `y = y.long().to(device)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.knowledge.pytorch import CONVERSIONS
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

_MOVES = frozenset({"to", "cuda", "cpu"})


def is_moved_again(function: ir.Function, statement: cst.CSTNode | None, path: str) -> bool:
    """Whether what reads a name next after a statement, in its block, gives it a copy of itself that has been moved."""
    for stmt in _after(function.body, statement):
        if any(path in ir.paths_in(expr) for each in ir.statements([stmt]) for expr in ir.expressions(each)):
            reading = [(ir.path_of(target), value) for target, value in ir.assigned(stmt) if path in ir.paths_in(value)]
            return len(reading) == 1 and reading[0][0] == path and _moves(reading[0][1], path)
    return False


def _after(body: list[ir.Stmt], statement: cst.CSTNode | None) -> list[ir.Stmt]:
    """The statements that follow one in its block."""
    for number, stmt in enumerate(body):
        if stmt.node is statement:
            return body[number + 1 :]
        for inner in ir.bodies(stmt):
            found = _after(inner, statement)
            if found:
                return found
    return []


def _moves(value: ir.Expr, path: str) -> bool:
    """Whether an expression is conversions of a name, one after the other, of which one moves it."""
    source, methods = unconverted(value)
    return not _MOVES.isdisjoint(methods) and ir.path_of(source) == path


def unconverted(value: ir.Expr) -> tuple[ir.Expr, list[str]]:
    """What one conversion, or several one after the other, are made of, and the methods that convert it: `labels` in `labels.long().cuda()`."""
    methods = []
    while isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.attr in CONVERSIONS:
        methods.append(value.func.attr)
        value = value.func.value
    return value, methods
