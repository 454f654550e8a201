"""The part of an event graph that matters to one object: everything else is passed over."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

from looplint.flow.graph import Condition, Edge, EventGraph, Node


def entries(graph: EventGraph, relevant: list[int]) -> list[tuple[int, int]]:
    """The parts of the graph, each from its entry to its end, in which something happens to the object."""
    starts = sorted({bisect_right(graph.entries, index) - 1 for index in relevant})
    bounds = [*graph.entries, len(graph.nodes)]
    return [(bounds[n], bounds[n + 1]) for n in starts if n >= 0]


Edges = dict[int, list[Edge]]


def slice_for(graph: EventGraph, start: int, end: int, relevant: Collection[int]) -> tuple[Edges, frozenset[Condition]]:
    """The nodes of one part of the graph that matter, with the edges between them and the conditions worth remembering.

    The part is first reduced once to all of its events, then to the relevant ones.
    """
    base = graph.reduced.get(start)
    if base is None:
        events = {i for i in range(start, end) if graph.nodes[i].event is not None}
        base = _reduce_fully(graph, start, {i: graph.nodes[i].succ for i in range(start, end)}, events)
        graph.reduced[start] = base
    return _reduce_fully(graph, start, base[0], relevant, base[1])


def _reduce_fully(
    graph: EventGraph, start: int, edges: Edges, relevant: Collection[int], remembered: frozenset[Condition] | None = None
) -> tuple[Edges, frozenset[Condition]]:
    """Reduce until nothing more can be passed over and every remembered condition is tested more than once."""
    if remembered is None:
        remembered = _tested_twice(edges)
    while True:
        smaller = _reduce(graph, start, edges, relevant, remembered)
        left = _tested_twice(smaller)
        if left == remembered and len(smaller) == len(edges):
            return smaller, remembered
        edges, remembered = smaller, left


def _tested_twice(edges: Edges) -> frozenset[Condition]:
    """The conditions with more than one test: each test has one node for each outcome."""
    seen: dict[tuple[Condition, bool], int] = {}
    for out in edges.values():
        for outcome in {(e.condition, e.held) for e in out if e.condition is not None}:
            seen[outcome] = seen.get(outcome, 0) + 1
    return frozenset(condition for (condition, _), times in seen.items() if times > 1)


def _reduce(graph: EventGraph, start: int, before: Edges, relevant: Collection[int], remembered: frozenset[Condition]) -> Edges:
    """The edges between the nodes that matter: events of the object, heads of loops around them, and remembered conditions.

    A node that only leads on is replaced by what it leads to; two branches that meet again with nothing between them are one way.
    """
    looping = _loops_that_matter(graph, before, relevant)
    frames = {(c.frame, name) for c in remembered for name in c.names}
    alias: dict[int, Edge] = {}
    edges: Edges = {}
    for index in sorted(before, reverse=True):
        node = graph.nodes[index]
        found: dict[Edge, None] = {}
        for edge in before[index]:
            found.setdefault(_through(edge, alias, remembered))
        # A loop in which nothing happens leads back to itself: only the way out counts.
        out = _meeting([e for e in found if e.target != index or index in looping], edges, graph)
        if (
            index != start
            and index not in relevant
            and index not in looping
            and len(out) == 1
            and out[0].condition is None
            and not _forgets(node, frames)
        ):
            alias[index] = out[0]
        else:
            edges[index] = out
    resolved = {index: list(dict.fromkeys(_through(e, alias, remembered) for e in out)) for index, out in edges.items()}
    return _reachable(start, resolved)


def _reachable(start: int, edges: Edges) -> Edges:
    seen = {start}
    work = [start]
    while work:
        for edge in edges[work.pop()]:
            if edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return {index: edges[index] for index in seen}


def _through(edge: Edge, alias: dict[int, Edge], remembered: frozenset[Condition]) -> Edge:
    """The edge, led on over the nodes that are passed over."""
    condition = edge.condition if edge.condition in remembered else None
    target, back = edge.target, edge.back
    while (onward := alias.get(target)) is not None:
        target, back = onward.target, back or onward.back
    return Edge(target, condition, edge.held if condition else True, back)


def _meeting(out: list[Edge], edges: dict[int, list[Edge]], graph: EventGraph) -> list[Edge]:
    """Collapse a branch whose two sides are nothing but the outcomes of one condition."""
    if len(out) != 2 or any(e.condition or e.back or graph.nodes[e.target].kind != "branch" for e in out):
        return out
    left, right = edges.get(out[0].target, []), edges.get(out[1].target, [])
    if (
        len(left) == len(right) == 1
        and left[0].target == right[0].target
        and left[0].condition == right[0].condition
        and left[0].back == right[0].back
    ):
        return [Edge(left[0].target, None, True, left[0].back)]
    return out


def _forgets(node: Node, frames: set[tuple[object, str]]) -> bool:
    return node.forgets is not None and node.forgets in frames


def _loops_that_matter(graph: EventGraph, edges: Edges, relevant: Collection[int]) -> set[int]:
    """The heads of the loops in which something happens to the object."""
    loops = {loop for index in relevant if index in edges for loop in graph.nodes[index].loops}
    return {i for i in edges if graph.nodes[i].kind == "head" and graph.nodes[i].loop in loops}
