"""Calls in loops: what a call did when its loop's body was read last is done again, where everything that it depends on is the same.

A loop is read until nothing new comes back, and a loop in a loop as often for each reading of the outer one. Most of what is called there does the
same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

from looplint.domain.slots import WHOLE, Journal, Moment, Place
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
    # What was remarked, with where in the graph that was.
    remarks: list[tuple[EventKey, int]]
    trace: Trace
    grad: bool | None
    result: Value
    # How much happened and occurred in it, as the interpreter counts.
    happened: int
    occurred: int
    # What it read of objects, and of which of their slots it asked or said what they hold on the path.
    read: set[Place]
    on_path: set[Place]
    # When it began and ended, and the constants with which it did.
    begin: Moment
    end: Moment
    before: Constants
    after: Constants


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
    given, journal = _given(interp, func, frame), interp.journal
    known = interp.recordings.get((frame.ctx, func))  # one call may go to several functions
    if (
        known is not None
        and known.given == given
        and journal.unchanged(known.read, known.begin, known.end)
        and _agree(known, interp.constants)
    ):
        if journal.read is not None:
            journal.read |= known.read
            journal.on_path |= known.on_path
        return _again(interp, known)
    start, fuel, entry, noted, begin = len(interp.graph.nodes), interp.fuel, list(interp.at), len(interp.noted), journal.now()
    happened, occurred, constants, outer = interp.happened, interp.occurred, interp.constants, interp.trace
    interp.trace = own = Trace()
    with _notes(journal) as (read, on_path):
        result = follow()
    interp.trace = outer
    outer.add(own)
    if result is not None and interp.alive and fuel - interp.fuel >= _WORTH_IT and not frame.abstract:
        nodes = [Node(n.index, n.kind, n.loops, n.event, n.loop, n.forgets, list(n.succ)) for n in interp.graph.nodes[start:]]
        first = {e.target: None for loose in entry for e in interp.graph.nodes[loose.source].succ if e.target >= start}
        through = set(entry)
        ends: dict[Loose | None, None] = dict.fromkeys(None if loose in through else loose for loose in interp.at)
        remarks = [(key, interp.remarks[key].index) for key in interp.noted[noted:] if key in interp.remarks]
        interp.recordings[frame.ctx, func] = Recording(
            given, start, nodes, list(first), list(ends), remarks, own, interp.grad, result,
            interp.happened - happened, interp.occurred - occurred, read, on_path, begin, journal.now(), constants, interp.constants,
        )  # fmt: skip
    return result


@contextmanager
def _notes(journal: Journal) -> Iterator[tuple[set[Place], set[Place]]]:
    """Take notes of what is read, and of what is asked or said of the present path; whoever takes notes already learns of it too."""
    outer, outer_on_path = journal.read, journal.on_path
    journal.read, journal.on_path = read, on_path = set[Place](), set[Place]()
    try:
        yield read, on_path
    finally:
        journal.read, journal.on_path = outer, outer_on_path
        if outer is not None:
            outer |= read
            outer_on_path |= on_path


def _agree(call: Recording, constants: Constants) -> bool:
    """Whether the constants with which a call began are the same now, as far as it had to do with them."""
    return call.before is constants or _concerned(call, call.before) == _concerned(call, constants)


def _after(call: Recording, constants: Constants) -> Constants:
    """What is known of constants after a call: what became of those that it had to do with, and the others as they are."""
    if call.before is constants:
        return call.after
    concerned = _concerned(call, constants)
    return {**{place: value for place, value in constants.items() if place not in concerned}, **_concerned(call, call.after)}


def _concerned(call: Recording, constants: Constants) -> Constants:
    """The constants that a call had to do with."""
    places = call.on_path
    return {place: value for place, value in constants.items() if place in places or (place[0], WHOLE) in places}


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
    return (interp.assigned, func, position, dict(frame.locals), around)


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
    for key, index in call.remarks:
        if key in interp.remarks:
            interp.remarks[key].index = index + offset
    interp.happened += call.happened
    interp.occurred += call.occurred
    interp.trace.add(call.trace)
    interp.grad = call.grad
    interp.constants = _after(call, interp.constants)
    interp.burn()
    return call.result
