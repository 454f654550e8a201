"""Calls on one of several things, another one in each turn of a loop: `agents[i].update(batch)` in `for i in range(n)`, `opt.step()` in `for opt in optimizers`."""

from __future__ import annotations

from typing import NamedTuple

from looplint.syntax import ir


class Members(NamedTuple):
    """The calls in a loop on what each turn has of its own, and those that are given it: `scaler.step(optimizers[i])`. By the identity of their nodes."""

    called: frozenset[int]
    given: frozenset[int]


@ir.kept_with_code
def by_loop(function: ir.Function) -> dict[int, Members]:
    """For the `for` loops of a function, by the identity of their statements: the calls in them that go to what the turn goes over, or has the number of."""
    return {id(loop): _members(loop) for loop in ir.statements(function.body) if isinstance(loop, ir.For)}


def _members(loop: ir.For) -> Members:
    body = list(ir.statements(loop.body))
    targets = {e.id for e in ir.walk(loop.target) if isinstance(e, ir.Name)}
    own = set(targets)
    for stmt in body:
        if isinstance(stmt, ir.Assign) and _is_own(stmt.value, targets, own):
            own |= {to.id for to in stmt.targets if isinstance(to, ir.Name)}
    calls = [e for stmt in body for whole in ir.expressions(stmt) for e in ir.walk(whole) if isinstance(e, ir.Call)]
    return Members(
        frozenset(id(call.node) for call in calls if isinstance(call.func, ir.Attr) and _is_own(call.func.value, targets, own)),
        frozenset(id(call.node) for call in calls if any(_is_own(arg.value, targets, own) for arg in call.args)),
    )


def _is_own(expr: ir.Expr, targets: set[str], own: set[str]) -> bool:
    """Whether an expression is a part of what a turn has of its own: under a name for that, or under the number or the key that the turn has."""
    while isinstance(expr, ir.Attr | ir.Subscript):
        if isinstance(expr, ir.Subscript) and isinstance(expr.index, ir.Name) and expr.index.id in targets:
            return True
        expr = expr.value
    return isinstance(expr, ir.Name) and expr.id in own
