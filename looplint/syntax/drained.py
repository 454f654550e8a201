"""Loops that take an item in each turn until there is none: `while True: batch = source.next()`, `if batch is None: break`."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.syntax import ir


def is_drained(loop: ir.While) -> bool:
    """Whether a `while` loop takes something in each turn, and ends where there is nothing more to take.

    What is taken there depends on nothing that the loop makes itself but a count: a decoder, and who plays a game, ask for what follows from their last step.
    """
    made = {name for stmt in ir.statements(loop.body) if not isinstance(stmt, ir.AugAssign) for name in ir.binds(stmt)}
    return any(_takes(stmt, name, made) for name in _ending(loop) for stmt in ir.statements(loop.body)) or _ends_an_iterator(loop)


def _ending(loop: ir.While) -> Iterator[str]:
    """The names that end a loop where they are None."""
    if (name := _compared(loop.test, "is not")) is not None:
        yield name
    for stmt in loop.body if isinstance(loop.test, ir.Const) and loop.test.value else ():
        if isinstance(stmt, ir.If) and _leaves(stmt.body) and (name := _compared(stmt.test, "is")) is not None:
            yield name


def _compared(test: ir.Expr, op: str) -> str | None:
    """The name that is compared with None."""
    match test:
        case ir.Compare(left=ir.Name(id=name), ops=[str(one)], rights=[ir.Const(value=None)]) if one == op:
            return name
    return None


def _leaves(body: list[ir.Stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ir.Jump) and body[-1].kind == "break"


def _takes(stmt: ir.Stmt, name: str, made: set[str]) -> bool:
    """Whether a statement gives a name what a call gives that gets nothing of what the loop has made."""
    match stmt:
        case ir.Assign(value=ir.Call() as call):
            return name in ir.binds(stmt) and not any(path.partition(".")[0] in made for path in ir.paths_in(call))
    return False


def _ends_an_iterator(loop: ir.While) -> bool:
    """Whether a loop without an end of its own is left where `next` finds nothing: `try: x, y = next(batches)`, `except StopIteration: break`."""
    if not (isinstance(loop.test, ir.Const) and loop.test.value):
        return False
    tries = (stmt for stmt in loop.body if isinstance(stmt, ir.Try) and any(_leaves(body) for _, body in stmt.handlers))
    return any(_is_next(stmt.value) for each in tries for stmt in each.body if isinstance(stmt, ir.Assign))


def _is_next(value: ir.Expr) -> bool:
    return isinstance(value, ir.Call) and ir.path_of(value.func) == "next"
