"""Calls on things that come again in later turns of a loop: `optimizers[step % count].step()`, and `optimizer.step()` of a loop over all of them within."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from looplint.syntax import ir


class Again(NamedTuple):
    """The calls in a loop that are made on the same in each turn, or on one of a few in each, and those that are given nothing else. By the identity of their nodes."""

    called: frozenset[int]
    given: frozenset[int]


@ir.kept_with_code
def by_loop(function: ir.Function) -> dict[int, Again]:
    """For the loops of a function, by the identity of their statements: the calls in them on what does not hang on how far the loop is."""
    return {id(loop): _again(loop) for loop in ir.statements(function.body) if isinstance(loop, ir.For | ir.While)}


def _again(loop: ir.For | ir.While) -> Again:
    targets = ir.binds(loop)
    bindings: dict[str, list[ir.Stmt]] = {}
    for stmt in ir.statements(loop.body):
        for name in ir.binds(stmt) - targets:
            bindings.setdefault(name, []).append(stmt)
    own = loop.assigned | targets
    while found := {name for name in own & bindings.keys() if all(_comes_again(stmt, own) for stmt in bindings[name])}:
        own -= found
    calls = list(ir.calls_in(loop.body))
    return Again(
        frozenset(id(call.node) for call in calls if not _hangs_on(call.func, own)),
        frozenset(id(call.node) for call in calls if not any(_hangs_on(arg.value, own) for arg in call.args)),
    )


def _comes_again(stmt: ir.Stmt, own: Set[str]) -> bool:
    """Whether what a statement gives a name is one of a few things, whichever turn of the loop it is; `own` are the names that hang on the turn."""
    match stmt:
        case ir.Assign(targets=[ir.Name()], value=value):
            return not _hangs_on(value, own)
        case ir.For(iter=iterated):
            return ir.paths_in(iterated).isdisjoint(own)
    return False


def _hangs_on(expr: ir.Expr, own: Set[str]) -> bool:
    """Whether an expression may be another thing in each turn: it has a name in it that hangs on the turn, or a call that may give something new."""
    match expr:
        case ir.Binary(op="%"):
            return False
        case ir.Call():
            return True
    return (ir.path_of(expr) or "") in own or any(_hangs_on(part, own) for part in ir.children(expr))
