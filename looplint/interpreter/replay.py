"""Calls in loops: what a call did when its loop's body was read last is done again, where everything that it depends on is the same.

A loop is read until nothing new comes back, and a loop in a loop as often for each reading of the outer one. Most of what is called there does the
same each time.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import NamedTuple

from looplint.domain.values import EventKey, Func, Value
from looplint.flow.graph import Loose, Node
from looplint.interpreter.frames import Constants, Frame, Trace
from looplint.interpreter.interpreter import Interpreter

# A call that took less is followed again: that is no dearer.
_WORTH_IT = 60


class Recording(NamedTuple):
    """What a call did: the part of the graph it added to the loose ends of its caller, what it noted besides, and what it returned."""

    given: tuple[object, ...]
    # The first node, and all nodes as they were when the call came back.
    start: int
    nodes: list[Node]
    # The nodes that the way into the call leads to, and the ways out; None stands for the way in, where it leads through.
    first: list[int]
    ends: list[Loose | None]
    remarks: list[EventKey]
    trace: Trace
    grad: bool | None
    constants: Constants
    result: Value


def replayed(interp: Interpreter, func: Func, frame: Frame, follow: Callable[[], Value | None]) -> Value | None:
    """What a call gives, with what it does: as last time, or by following it.

    Args:
        interp: the interpreter.
        func: the function that is called.
        frame: its activation, with its arguments.
        follow: follows its body; None where that is too large.
    """
    if not interp.loops or interp.aside:
        return follow()
    given = _given(interp, func, frame)
    known = interp.recordings.get((frame.ctx, func))  # one call may go to several functions
    if known is not None and known.given == given:
        return _again(interp, known)
    start, fuel, entry, noted, outer = len(interp.graph.nodes), interp.fuel, list(interp.at), len(interp.noted), interp.trace
    interp.trace = Trace()
    result = follow()
    own, interp.trace = interp.trace, outer
    outer.add(own)
    if result is not None and interp.alive and fuel - interp.fuel >= _WORTH_IT and not frame.abstract:
        nodes = [Node(n.index, n.kind, n.loops, n.event, n.loop, n.forgets, list(n.succ)) for n in interp.graph.nodes[start:]]
        first = {e.target: None for loose in entry for e in interp.graph.nodes[loose.source].succ if e.target >= start}
        through = set(entry)
        ends: dict[Loose | None, None] = dict.fromkeys(None if loose in through else loose for loose in interp.at)
        interp.recordings[frame.ctx, func] = Recording(
            given, start, nodes, list(first), list(ends), interp.noted[noted:], own, interp.grad, interp.constants, result
        )
    return result


def _given(interp: Interpreter, func: Func, frame: Frame) -> tuple[object, ...]:
    """Everything on which it depends what a call does, in its calling context."""
    around = []
    outer = func.closure or func.module.frame
    while outer is not None:
        around.append(dict(outer.locals))
        outer = outer.closure
    position = (
        interp.root,
        interp.grad,
        interp.autocast,
        interp.enabling,
        interp.guards,
        interp.loops,
        interp.candidates,
        interp.assembling,
        interp.comprehensions,
        interp.repetitions,
        interp.handling,
    )
    return (interp.changes, func, position, interp.constants, dict(frame.locals), around)


def _again(interp: Interpreter, call: Recording) -> Value:
    """Add to the graph what a call added, where the path is now."""
    graph, entry = interp.graph, list(interp.at)
    offset = len(graph.nodes) - call.start
    for node in call.nodes:
        event = copy(node.event)
        index = node.index + offset
        if event is not None:
            event.index = index
        succ = [edge._replace(target=edge.target + offset) for edge in node.succ]
        graph.nodes.append(Node(index, node.kind, node.loops, event, node.loop, node.forgets, succ))
    for target in call.first:
        for loose in entry:
            graph.connect(loose, target + offset)
    interp.at = [each for end in call.ends for each in (entry if end is None else [end._replace(source=end.source + offset)])]
    for key in call.remarks:
        if key in interp.remarks:
            interp.remarks[key].index += offset
    interp.happened += len(call.nodes)
    interp.occurred += len(call.nodes)
    interp.trace.add(call.trace)
    interp.grad = call.grad
    interp.constants = call.constants
    interp.burn()
    return call.result
