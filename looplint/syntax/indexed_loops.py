"""Loops over the positions of what they index: `for i in range(len(parts))` with `parts[i]` in it."""

from __future__ import annotations

from typing import NamedTuple

from looplint.syntax import ir


class Positions(NamedTuple):
    """The positions that a loop goes over."""

    # How many there are.
    number: ir.Expr
    # What the loop indexes by them, and does not set.
    indexed: tuple[ir.Expr, ...]


@ir.kept_with_code
def by_loop(function: ir.Function) -> dict[int, Positions]:
    """For the loops of a function, by the identity of their statements: the positions that those over a `range` go over."""
    found = {}
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.For(
                target=ir.Name(id=number), iter=ir.Call(func=ir.Name(id="range"), args=[ir.Arg(value=count, star="", keyword=None)])
            ):
                written = [expr for each in ir.statements(stmt.body) for expr in ir.walk(*ir.expressions(each))]
                indexed = {ir.path_of(e.value): e.value for e in written if isinstance(e, ir.Subscript) and _is(e.index, number)}
                kept = tuple(value for path, value in indexed.items() if path and path not in stmt.assigned)
                if kept:
                    found[id(stmt)] = Positions(count, kept)
    return found


def _is(index: ir.Expr, number: str) -> bool:
    return isinstance(index, ir.Name) and index.id == number
