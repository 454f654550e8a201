"""Branches that keep a running best: `if loss < best: best = loss`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.syntax import ir

_ORDERS = frozenset({"<", ">", "<=", ">="})


def keeps_best(test: ir.Expr, body: Iterable[ir.Stmt]) -> bool:
    """Whether a branch assigns one side of a comparison in its condition to the other."""
    if not any(isinstance(stmt, ir.Assign) for stmt in body):
        return False
    tests = [e for e in ir.walk(test) if isinstance(e, ir.Compare) and e.ops[0] in _ORDERS and len(e.rights) == 1]
    sides = [{ir.render(test.left), ir.render(test.rights[0])} for test in tests]
    given = [pair for stmt in body if isinstance(stmt, ir.Assign) for pair in pairs(stmt)] if sides else []
    return any({ir.render(target), ir.render(value)} in sides for target, value in given)


def pairs(stmt: ir.Assign) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """Each target of an assignment with its value, those of tuples one by one."""
    for target in stmt.targets:
        match target, stmt.value:
            case ir.Display(items=targets), ir.Display(items=values) if len(targets) == len(values):
                yield from zip(targets, values)
            case _:
                yield target, stmt.value
