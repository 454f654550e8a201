"""Conversions whose result is dropped, and that are done again before anything is read: `y.to(device)`, and below `y = y.long().to(device)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.knowledge.pytorch import CONVERSIONS
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

_MOVES = frozenset({"to", "cuda", "cpu"})
# What a tensor tells of itself whatever its type is, and what makes another of its shape.
_OF_ANY_TYPE = frozenset({"shape", "device", "size", "dim", "ndim", "numel"})
_OF_ITS_SHAPE = frozenset({"zeros_like", "ones_like", "rand_like", "randn_like", "empty_like", "full_like"})


def is_moved_again(function: ir.Function, statement: cst.CSTNode | None, path: str) -> bool:
    """Whether what reads a name next after a statement, in its block, gives it a copy of itself that has been moved."""
    for stmt in _after(function.body, statement):
        if any(path in ir.paths_in(expr) for each in ir.statements([stmt]) for expr in ir.expressions(each)):
            reading = [(ir.path_of(target), value) for target, value in ir.assigned(stmt) if path in ir.paths_in(value)]
            return len(reading) == 1 and reading[0][0] == path and _moves(reading[0][1], path)
    return False


def is_converted_where_read(function: ir.Function, statement: cst.CSTNode | None, name: str) -> bool:
    """Whether all that reads a name of a function after a statement of its own body converts it there, or asks for no more than its shape."""
    if not any(stmt.node is statement for stmt in function.body):
        return False
    behind = [expr for stmt in ir.statements(_after(function.body, statement)) for expr in ir.expressions(stmt)]
    read = [e for e in ir.walk(*behind) if isinstance(e, ir.Name) and e.id == name]
    return bool(read) and {id(e) for e in read} <= {id(e) for whole in ir.walk(*behind) for e in _of_any_type(whole)}


def _of_any_type(expr: ir.Expr) -> list[ir.Expr]:
    """What an expression reads whatever its type is: `y` in `y.float()`, `y.shape[0]` and `torch.zeros_like(y).float()`."""
    match expr:
        case ir.Attr(value=value, attr=attr) if attr in _OF_ANY_TYPE:
            return [value]
        case ir.Call(func=ir.Attr(value=ir.Call(args=[ir.Arg(value=like), *_]) as made, attr=attr)) if attr in CONVERSIONS - _MOVES:
            return [like] if ir.called_name(made) in _OF_ITS_SHAPE else []
        case ir.Call(func=ir.Attr(value=value, attr=attr)) if attr in CONVERSIONS - _MOVES:
            return [value]
    return []


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
