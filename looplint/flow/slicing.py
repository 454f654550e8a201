"""The part of an event graph that matters to one object: everything else is passed over."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from looplint.domain.call_string import CallString
from looplint.flow.graph import Condition, Edge, EventGraph, Node

Edges = dict[int, list[Edge]]
# The nodes to which a condition leads where it fails, and where it holds.
_Outcomes = tuple[frozenset[int], frozenset[int]]
# The nodes from which on a part is narrowed by way of a window of it, and those of the smallest window.
_LARGE, _SMALLEST = 512, 128
# Where more than this share is left, reducing once more would cost more than it saves.
_WORTH_ANOTHER = 0.9
# From more places than this that may come next, the branch itself counts as one.
_MANY = 32
# Slices are not narrowed to more than this share of their events: what goes along costs less.
_MOST = 0.8


class Slice(NamedTuple):
    """The nodes of one part of the graph that matter, from its entry on: the edges between them, and the conditions worth remembering."""

    start: int
    edges: Edges
    remembered: frozenset[Condition]


class Slices:
    """The slices of a graph by its parts, each from an entry to the next: of all events, and narrower ones made of those."""

    def __init__(self, graph: EventGraph, parts: dict[int, Slice] | None = None, events: frozenset[int] | None = None) -> None:
        self.graph = graph
        self._parts = parts if parts is not None else {}
        # The events that they were narrowed to, where they were.
        self._events = events
        # The narrower ones that were made of these: automata of several rules run over the same events.
        self._narrowed: dict[frozenset[int], Slices] = {}
        # What was narrowed to the events of a stretch of a large part, by where the stretch begins and its length.
        self._windows: dict[tuple[int, int], Slice] = {}

    def narrowed(self, relevant: Collection[int]) -> Slices:
        """The slices of the parts in which one of the relevant nodes lies; these themselves, where those are most of their events."""
        events = frozenset(relevant)
        if self._events is not None and len(events) > _MOST * len(self._events):
            return self
        found = self._narrowed.get(events)
        if found is None:
            numbers = sorted({bisect_right(self.graph.entries, index) - 1 for index in events})
            parts = {n: _reduce_fully(self.graph, self._around(n, events), events) for n in numbers if n >= 0}
            found = self._narrowed[events] = Slices(self.graph, parts, events)
        return found

    def __iter__(self) -> Iterator[Slice]:
        return iter(self._parts.values())

    def _around(self, number: int, events: frozenset[int]) -> Slice:
        """A part, or where that is large, the window of it in which some events lie: most objects live in a short stretch of a long program."""
        part = self._part(number)
        if len(part.edges) < _LARGE:
            return part
        start, end = self._bounds(number)
        inside = [index - start for index in events if start <= index < end]
        first, last = min(inside), max(inside)
        length = _SMALLEST
        while length < end - start:
            begin = first // (length // 2) * (length // 2)
            if last < begin + length:
                return self._window(number, begin, length)
            length *= 2
        return part

    def _window(self, number: int, begin: int, length: int) -> Slice:
        """A part narrowed to the events of a stretch of it, by way of the stretch of twice the length; neighbours overlap by half."""
        start, end = self._bounds(number)
        if length >= end - start:
            return self._part(number)
        key = (start + begin, length)
        window = self._windows.get(key)
        if window is None:
            around = self._window(number, begin // length * length, 2 * length)
            stretch = range(start + begin, start + begin + length)
            events = {index for index in around.edges if index in stretch and self.graph.nodes[index].event is not None}
            window = self._windows[key] = _reduce_fully(self.graph, around, events)
        return window

    def _bounds(self, number: int) -> tuple[int, int]:
        start, end = ([*self.graph.entries, len(self.graph.nodes)])[number : number + 2]
        return start, end

    def _part(self, number: int) -> Slice:
        part = self._parts.get(number)
        if part is None:
            graph = self.graph
            start, end = self._bounds(number)
            edges = {index: graph.nodes[index].succ for index in range(start, end)}
            events = {index for index in edges if graph.nodes[index].event is not None}
            part = self._parts[number] = _reduce_fully(graph, Slice(start, edges, _tested_again(graph, edges)), events)
        return part


def _reduce_fully(graph: EventGraph, whole: Slice, relevant: Collection[int]) -> Slice:
    """Reduce until hardly more can be passed over and every remembered condition is tested more than once where that matters."""
    start, edges, remembered = whole
    if remembered:
        remembered &= _tested_again(graph, edges, _deciding_nothing(graph, edges, relevant))
    while True:
        smaller = _reduce(graph, start, edges, relevant, remembered)
        left = _tested_again(graph, smaller)
        if left == remembered and len(smaller) > _WORTH_ANOTHER * len(edges):
            return Slice(start, smaller, remembered)
        edges, remembered = smaller, left


def _tested_again(
    graph: EventGraph, edges: Edges, passed_by: Mapping[int, frozenset[Condition]] = MappingProxyType({})
) -> frozenset[Condition]:
    """The conditions with more than one test, where each test has one node for each outcome; one in a loop is enough where all turns agree.

    In a loop edges count, and not the nodes that they leave: the tests of two branches leave one node where nothing else is left of these.

    Args:
        graph: the whole.
        edges: the part.
        passed_by: the conditions whose tests at a node do not count.
    """
    seen: dict[tuple[Condition, bool], int] = {}
    for index, out in edges.items():
        apart = passed_by.get(index, frozenset[Condition]())
        outcomes = [(e.condition, e.held) for e in out if e.condition is not None and e.condition not in apart]
        node = graph.nodes[index]
        turns = bool(node.loops) or node.kind == "head"
        for outcome in outcomes if turns else dict.fromkeys(outcomes):
            again = outcome[0].settled and bool(node.loops)
            seen[outcome] = seen.get(outcome, 0) + (2 if again else 1)
    return frozenset(condition for (condition, _), times in seen.items() if times > 1)


def _deciding_nothing(graph: EventGraph, edges: Edges, relevant: Collection[int]) -> dict[int, frozenset[Condition]]:
    """The conditions at each node of which both outcomes lead to the same that happens next to the object.

    Nothing is left of such a test at the place where its branches meet: a helper that asks what it was given, as most calls of a long program do, keeps
    no paths apart.
    """
    looping = _loops_that_matter(graph, edges, relevant)
    nearest: dict[int, frozenset[int]] = {}
    found: dict[int, frozenset[Condition]] = {}
    # What comes next after each outcome of each condition that is tested at a node.
    after: dict[int, dict[Condition, _Outcomes]] = {}
    for index in sorted(edges, reverse=True):
        out = edges[index]
        led = [nearest[e.target] if e.target in nearest else _behind(e.target, edges, nearest, looping) for e in out]
        if conditions := frozenset(e.condition for e in out if e.condition is not None):
            after[index] = {c: (_leads(c, False, out, led), _leads(c, True, out, led)) for c in conditions}
            found[index] = frozenset(c for c, (fails, holds) in after[index].items() if fails == holds)
        reached = frozenset[int]().union(*led)
        nearest[index] = frozenset((index,)) if index in relevant or index in looping or len(reached) > _MANY else reached
    for index, conditions in _split(edges, after).items():
        found[index] |= conditions
    return found


def _split(edges: Edges, after: dict[int, dict[Condition, _Outcomes]]) -> dict[int, frozenset[Condition]]:
    """The conditions of which nodes have one outcome each, and that decide nothing wherever a way leads to the nodes of both.

    Where a test is joined with what stands before it, its outcomes are at two nodes: `if a or b: ...; if c: ...` has one for each way on.
    """
    halves = {n: {c for c, (fails, holds) in tested.items() if not (fails and holds)} for n, tested in after.items()}
    met: dict[int, set[Condition]] = {}
    apart: dict[int, set[Condition]] = {}
    for out in edges.values():
        targets = {e.target for e in out if halves.get(e.target)}
        for condition in set[Condition]().union(*(halves[n] for n in targets)):
            at = [n for n in targets if condition in halves[n]]
            fails, holds = (frozenset[int]().union(*(after[n][condition][held] for n in at)) for held in (False, True))
            for n in at:
                (met if fails == holds else apart).setdefault(n, set()).add(condition)
    return {n: frozenset(conditions - apart.get(n, set())) for n, conditions in met.items()}


def _behind(head: int, edges: Edges, nearest: dict[int, frozenset[int]], looping: Collection[int]) -> frozenset[int]:
    """What comes next where a turn ends: the loop's head, where something happens in it, or else what is behind it."""
    if head in looping:
        return frozenset((head,))
    return frozenset[int]().union(*(nearest[e.target] for e in edges[head] if e.target in nearest))


def _leads(condition: Condition, held: bool, out: list[Edge], led: list[frozenset[int]]) -> frozenset[int]:
    """What happens next to the object after an outcome of a condition; nothing where there is no way on."""
    return frozenset[int]().union(*(to for e, to in zip(out, led) if e.condition is condition and e.held is held))


def _reduce(graph: EventGraph, start: int, before: Edges, relevant: Collection[int], remembered: frozenset[Condition]) -> Edges:
    """The edges between the nodes that matter: events of the object, heads of loops around them, and remembered conditions.

    A node that only leads on is replaced by what it leads to, one that leads nowhere is left out, and branches that meet again with nothing
    between them are one way: where paths join, what only one of them assumed is forgotten.
    """
    looping = _loops_that_matter(graph, before, relevant)
    frames = {(c.frame, name) for c in remembered for name in c.names}
    idle = {i for i in before if graph.nodes[i].kind == "head" and i not in looping and not _changes_conditions(graph.nodes[i], frames)}
    passed: Edges = {}
    edges: Edges = {}
    for index in sorted(before, reverse=True):
        after = before[index]
        if len(after) == 1 and after[0].target not in passed and _is_as_remembered(after[0], remembered):
            out = after
        else:
            out = list(dict.fromkeys(led for edge in after for led in _through(edge, passed, remembered)))
        # A loop in which nothing happens need not be gone through again: only the way out counts.
        kept = [e for e in out if (e.target != index or index in looping) and not (e.back and e.target in idle)]
        edges[index] = out = _meeting(kept, passed)
        matters = index == start or index in relevant or (graph.nodes[index].kind == "head" and index not in idle)
        if not matters and not _forgets(graph.nodes[index], frames):
            passed[index] = out
    for index, out in edges.items():
        if any(edge.target in passed for edge in out):
            edges[index] = list(dict.fromkeys(e for edge in out for e in _through(edge, passed, remembered)))
    return _reachable(start, edges)


def _reachable(start: int, edges: Edges) -> Edges:
    seen = {start}
    work = [start]
    while work:
        for edge in edges[work.pop()]:
            if edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return {index: edges[index] for index in seen}


def _through(edge: Edge, passed: Edges, remembered: frozenset[Condition]) -> list[Edge]:
    """The edge, led on over the nodes that can be passed over. An edge carries one condition, and no node becomes more than two edges."""
    if not _is_as_remembered(edge, remembered):
        edge = Edge(edge.target, None, True, edge.back)
    condition = edge.condition
    onward = passed.get(edge.target)
    if onward is None or len(onward) > 2 or (condition and any(e.condition for e in onward)):
        return [edge]
    found: list[Edge] = []
    for each in onward:
        led = Edge(each.target, each.condition or condition, each.held if each.condition else edge.held, edge.back or each.back)
        found.extend(_through(led, passed, remembered))
    return found


def _is_as_remembered(edge: Edge, remembered: frozenset[Condition]) -> bool:
    """Whether an edge has no condition but one that is remembered."""
    return edge.held if edge.condition is None else edge.condition in remembered


def _meeting(out: list[Edge], passed: Edges) -> list[Edge]:
    """Replace branches that are nothing but the two outcomes of one condition, and lead to the same places, by what they lead to."""
    while len(out) > 1:
        out = _either_way(out)
        if all(edge.target not in passed for edge in out):
            break
        halves: dict[object, Edge] = {}
        for edge in out:
            inner = passed.get(edge.target)
            if not inner or edge.back:
                continue
            condition, held = inner[0].condition, inner[0].held
            if any(e.condition is not condition or e.held != held for e in inner):
                continue
            kind = (edge.condition, edge.held, condition, frozenset((e.target, e.back) for e in inner))
            other = halves.get((kind, not held if condition else held))
            if other is not None:
                joined = [Edge(e.target, edge.condition, edge.held, e.back) for e in inner] if condition else [other]
                out = list(dict.fromkeys([*(e for e in out if e not in (edge, other)), *joined]))
                break
            halves[(kind, held)] = edge
        else:
            break
    return out


def _either_way(out: list[Edge]) -> list[Edge]:
    """The edges, with one for two that lead to the same place whether a condition holds or not."""
    if len({edge.target for edge in out}) == len(out):
        return out
    present = set(out)
    merged: dict[Edge, None] = {}
    for edge in out:
        both = edge.condition is not None and Edge(edge.target, edge.condition, not edge.held, edge.back) in present
        merged[Edge(edge.target, None, True, edge.back) if both else edge] = None
    return list(merged)


def _forgets(node: Node, frames: set[tuple[CallString, str]]) -> bool:
    return node.forgets is not None and node.forgets in frames


def _changes_conditions(head: Node, frames: set[tuple[CallString, str]]) -> bool:
    """Whether the next turn of a loop may decide a remembered condition again."""
    return head.loop is None or any((head.loop.frame, name) in frames for name in head.loop.assigned)


def _loops_that_matter(graph: EventGraph, edges: Edges, relevant: Collection[int]) -> set[int]:
    """The heads of the loops in which something happens to the object."""
    loops = {loop for index in relevant if index in edges for loop in graph.nodes[index].loops}
    return {i for i in edges if graph.nodes[i].kind == "head" and graph.nodes[i].loop in loops}
