"""Loops: a body is read until the names at its head stay the same, and its end leads back to the head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from looplint.domain.values import Iter, Value
from looplint.flow.graph import Loop, Loose
from looplint.interpreter.frames import LoopScope, merge
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

_PASSES = 3
# What happens to gradients, parameters and rates: where it is done for each item of something, that is a loop of the training.
_TRAINING = frozenset({"backward", "step", "clear", "schedule", "clip", "update", "freeze", "thaw"})


def for_each(m: Interpreter, stmt: ir.For, iterated: Value, turn: Callable[[], None]) -> None:
    """Do something for each item of an expression's iterable: a loop of the graph where it trains, else something that may happen."""
    before, length = m.save(), len(m.graph.nodes)
    turn()
    if not any(n.event is not None and n.event.kind in _TRAINING for n in m.graph.nodes[length:]):
        m.join_at([before, m.save()])
        return
    m.graph.cut(length, [loose.source for loose in before.at])
    m.restore(before)
    comprehensions, m.comprehensions = m.comprehensions, 0
    repeat(m, over(m, stmt, iterated), [], [], enter=turn, leave=None)
    m.comprehensions = comprehensions


def over(m: Interpreter, stmt: ir.For, iterated: Value) -> Loop:
    """The loop of a `for`, with what it goes over."""
    loop = m.loop(stmt)
    loop.over = iterated
    loop.iterates = ir.render(stmt.iter)
    loop.targets = frozenset(ir.paths_in(stmt.target))
    loop.bound = frozenset().union(*(a.bound for a in iterated if isinstance(a, Iter)))
    return loop


def repeat(
    m: Interpreter, loop: Loop, body: list[ir.Stmt], orelse: list[ir.Stmt], *, enter: Callable[[], None], leave: bool | None
) -> None:
    """Read a loop's body until the names at its head stay the same, then lead its end back to the head.

    A loop is taken to run at least once: one that does not is no training.
    """
    guards = m.guards
    outer = m.loops
    m.loops = (*outer, loop)
    head = m.graph.add("head", m.loops, m.at, loop=loop)
    m.at = [Loose(head)]
    length = len(m.graph.nodes)
    start = m.save()
    returned, paused, stuck = len(m.frame.returns), len(m.frame.pauses), len(m.frame.endless)
    for turn in range(_PASSES):
        m.graph.cut(length)
        del m.frame.returns[returned:], m.frame.pauses[paused:], m.frame.endless[stuck:]
        m.restore(start)
        m.guards = guards
        scope = LoopScope()
        m.scopes.append(scope)
        enter()
        m.run_block(body)
        m.scopes.pop()
        end = merge([m.save(), *scope.continues])
        if not end.alive:
            break
        around = merge([replace(start, at=[Loose(head)]), replace(end, at=[Loose(head)])])
        same = around.locals == start.locals and around.grad == start.grad and around.constants == start.constants
        if same or turn == _PASSES - 1:
            break
        start = replace(start, locals=around.locals, grad=around.grad, constants=around.constants)
    for loose in end.at:
        m.graph.connect(loose, head, back=True)
    m.loops = outer
    ends = [] if leave is False else [end]
    if not ends and not scope.breaks and end.alive:
        m.frame.endless.append(end)
    if ends and orelse:
        m.restore(end)
        m.guards = guards
        m.run_block(orelse)
        ends = [m.save()]
    m.join_at([*ends, *scope.breaks])
    m.guards = guards
    if m.at:
        m.at = [Loose(m.graph.add("exit", m.loops, m.at, loop=loop))]
