"""Typestate by fixpoint: which states an object can be in when each event reaches it.

The analysis is property simulation (Das, Lerner and Seigle, "ESP", PLDI 2002): paths in the same state are merged, and what they assumed of
branch conditions is kept as far as they agree, so that two tests of one condition are understood as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from typing import Literal, TypeVar

from looplint.dataclass import dataclass, field, replace
from looplint.domain.call_string import CallString
from looplint.flow.events import Event
from looplint.flow.graph import Condition, Edge, EventGraph, Loop, Node
from looplint.flow.kinds import Misspelt, check_flowing
from looplint.flow.slicing import Slices

E = TypeVar("E", bound=Event)
# Whether an event happens to an object for sure, or perhaps.
Touch = Literal["must", "may"]
UNSEEN = "?"
_MAX_STATES = 96
# Beyond so many, what is assumed of conditions that have one outcome in a run no longer keeps paths apart.
_MAX_APART = 16


@dataclass(frozen=True, eq=False)
class Automaton:
    """A protocol: the state an object starts in, and how events change it.

    `arrows` maps (state, event kind) to the next state. "*" stands for every state without an arrow of its own for that event; the unknown
    state "?" leaves only through "*". The event "iterate" is the way back to the head of the loop in which the state was reached.
    An arrow for "backward:scaled" takes the events of that variant only, before any arrow for "backward". One for "backward:output" takes what
    code out of sight may do that gets what a model puts out: it can send that backward. One for "escape:restoring" takes what code out of sight does
    that restores a state, by its name.
    `reads` are events that change nothing but are visited.
    """

    start: str
    arrows: Mapping[tuple[str, str], str]
    reads: frozenset[str] = frozenset()
    kinds: frozenset[str] = field(init=False, default=frozenset())
    states: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        kinds = {kind.partition(":")[0] for _, kind in self.arrows} | self.reads | {"construct", "copy", "escape"}
        object.__setattr__(self, "kinds", frozenset(kinds) - {"iterate"})
        states = {self.start, UNSEEN, *self.arrows.values(), *(state for state, _ in self.arrows)} - {"*"}
        object.__setattr__(self, "states", frozenset(states))
        self._check()

    def _check(self) -> None:
        """Hold the names to what there is: an arrow that nothing takes would go unnoticed.

        Raises:
            Misspelt: an event that there is not, or a state that no event leads to.
        """
        for kind in (*(kind for _, kind in self.arrows if kind != "iterate"), *self.reads):
            check_flowing(kind)
        reached = {self.start, UNSEEN, "*", *self.arrows.values()}
        for state, _ in self.arrows:
            if state not in reached:
                raise Misspelt(
                    state,
                    f"an arrow starts in the state {state!r}, to which none leads; the others are {', '.join(sorted(reached - {'*', UNSEEN}))}",
                )
        named = {*self.arrows.values(), *(state for state, _ in self.arrows)}
        near = next((state for state in sorted(named) if _slip(self.start, state)), None) if self.start not in named else None
        if near is not None:
            raise Misspelt(self.start, f"the automaton starts in {self.start!r}, which is in none of its arrows; did you mean {near!r}?")

    def next(self, state: str, kind: str, variant: str = "") -> str:
        names = (f"{kind}:{variant}", kind) if variant else (kind,)
        for name in names:
            for source in (state, "*"):
                following = self.arrows.get((source, name))
                if following is not None:
                    return following
        return state


def _slip(word: str, other: str) -> bool:
    """Whether a word is another one with one letter too many, too few, wrong, or in the place of the next."""
    if word.rstrip("0123456789") != word or min(len(word), len(other)) < 4:
        return False
    same = 0
    while same < min(len(word), len(other)) and word[same] == other[same]:
        same += 1
    word, other = word[same:], other[same:]
    return other in (word[1:], f"{word[1:2]}{word[:1]}{word[2:]}") or other[1:] in (word, word[1:])


@dataclass(frozen=True, slots=True)
class PathState:
    """A state on some paths: how far each loop is (False in its first iteration), and the last event of each kind."""

    state: str
    later: frozenset[Loop]
    trail: tuple[tuple[str, Event], ...]
    since: Event | None

    def last(self, kind: type[E]) -> E | None:
        """The last event of a kind on the way."""
        return next((event for _, event in self.trail if isinstance(event, kind)), None)


@dataclass(frozen=True, slots=True)
class Visit:
    """An event and the states in which it can find an object."""

    event: Event
    states: tuple[PathState, ...]
    certain: bool
    # All states of the automaton: asking for another one is a mistake that would go unnoticed.
    known: frozenset[str]

    def steady(self, loop: Loop | None) -> list[PathState]:
        """The states from a loop's second iteration on, or all of them."""
        if loop is None:
            return list(self.states)
        return [s for s in self.states if loop in s.later]

    def always(self, *names: str) -> bool:
        """Every path finds one of these states, at least from the second iteration of some enclosing loop on."""
        self._check(names)
        for loop in (None, *reversed(self.event.loops)):
            states = self.steady(loop)
            if states and all(s.state in names for s in states):
                return True
        return False

    def sometimes(self, *names: str) -> list[PathState]:
        self._check(names)
        return [s for s in self.states if s.state in names]

    def once_built(self) -> Visit:
        """The same without the paths on which nothing has built the object, nor done anything else that tells of its state."""
        if self.event.kind == "construct":
            return self
        states = tuple(
            s for s in self.states if s.state != UNSEEN or s.since is not None or any(kind == "construct" for kind, _ in s.trail)
        )
        return replace(self, states=states)

    def _check(self, names: tuple[str, ...]) -> None:
        for name in names:
            if name not in self.known:
                raise ValueError(f"the automaton has no state {name!r}; its states are {', '.join(sorted(self.known - {UNSEEN}))}")


# A state, the loops that are past their first turn, and what is assumed of the conditions that have one outcome as long as a program runs.
_Key = tuple[str, frozenset[Loop], int]


@dataclass(slots=True)
class _Entry:
    # What every path to here assumed of conditions, as a bit set of `_Conditions`.
    assumed: int
    # Many entries have one, and none changes it.
    trail: Mapping[str, Event]
    since: Event | None


class _Conditions:
    """The conditions that a run remembers, as bit sets of what is assumed of them: two bits for each, that it holds and that it does not.

    Most of a fixpoint is joining and comparing such sets, which numbers do at once.
    """

    def __init__(self, conditions: Iterable[Condition]) -> None:
        self._bits: dict[Condition, tuple[int, int]] = {}
        # What is no longer assumed when a name of a frame is set anew, and in the next turn of a loop of a frame that is around their own.
        self._by_name: dict[tuple[CallString, str], int] = {}
        self._within: dict[CallString, int] = {}
        self._of_turn: dict[Loop, int] = {}
        # Those of conditions that have one outcome as long as a program runs.
        self.settled = 0
        for number, condition in enumerate(conditions):
            holds, fails = self._bits[condition] = (1 << 2 * number, 1 << 2 * number + 1)
            self.settled |= holds | fails if condition.settled else 0
            for name in condition.names:
                key = (condition.frame, name)
                self._by_name[key] = self._by_name.get(key, 0) | holds | fails
            for frame in condition.frame.outward():
                if frame is not condition.frame:
                    self._within[frame] = self._within.get(frame, 0) | holds | fails

    def __contains__(self, condition: Condition | None) -> bool:
        return condition in self._bits

    def on(self, edge: Edge) -> tuple[int, int]:
        """What is assumed on an edge, and what excludes that."""
        holds, fails = self._bits.get(edge.condition, (0, 0)) if edge.condition is not None else (0, 0)
        return (holds, fails) if edge.held else (fails, holds)

    def of_name(self, frame: CallString, name: str) -> int:
        """What is no longer assumed when a name of a frame is set anew."""
        return self._by_name.get((frame, name), 0)

    def of_turn(self, loop: Loop) -> int:
        """What is no longer assumed in the next turn of a loop: that of a call in it, and that of which it sets a name."""
        if loop not in self._of_turn:
            forgotten = self._within.get(loop.frame, 0)
            for name in loop.assigned:
                forgotten |= self.of_name(loop.frame, name)
            self._of_turn[loop] = forgotten
        return self._of_turn[loop]


def run(slices: Slices, automaton: Automaton, relevant: Mapping[int, Touch]) -> list[Visit]:
    """Run an automaton for one object over the graph to its fixpoint.

    Args:
        slices: those of a program's events, or at least of the relevant ones.
        automaton: the protocol.
        relevant: the nodes of the events that happen to the object, with "must" or "may".

    Returns:
        A visit for every event of the automaton that reaches the object, in the order of the graph.
    """
    graph = slices.graph
    remembered: dict[Condition, None] = {}
    facts: dict[int, dict[_Key, _Entry]] = {}
    edges: dict[int, list[Edge]] = {}
    # The nodes to go on from, each with the states that are new or changed there.
    pending: dict[int, dict[_Key, None]] = {}
    for start, sliced, conditions in slices.narrowed(relevant):
        edges.update(sliced)
        remembered.update(dict.fromkeys(conditions))
        facts.update((index, {}) for index in sliced)
        unseen = (UNSEEN, frozenset[Loop](), 0)
        facts[start][unseen] = _Entry(0, {}, None)
        pending[start] = {unseen: None}
    # Nodes are numbered in program order, so the lowest number first settles inner loops before what follows them.
    correlated = _Conditions(remembered)
    work = list(pending)
    heapify(work)
    while work:
        index = heappop(work)
        node, states = graph.nodes[index], facts[index]
        outgoing = _after(node, {key: states[key] for key in pending.pop(index)}, automaton, relevant.get(index))
        for edge in edges[index]:
            changed = _flow(graph, node, edge, outgoing, facts[edge.target], automaton, correlated)
            if not changed:
                continue
            if edge.target not in pending:
                heappush(work, edge.target)
            pending.setdefault(edge.target, {}).update(changed)
    visits = []
    for index in sorted(relevant):
        found, event = facts.get(index), graph.nodes[index].event
        if found and event is not None:
            reached = tuple(
                PathState(state, later, tuple(sorted(e.trail.items())), e.since)
                for (state, later, _), e in sorted(found.items(), key=lambda item: (item[0][0], len(item[0][1]), item[0][2]))
            )
            visits.append(Visit(event, reached, relevant[index] == "must", automaton.states))
    return visits


def _after(node: Node, states: dict[_Key, _Entry], automaton: Automaton, touched: Touch | None) -> dict[_Key, _Entry]:
    event = node.event
    if event is None or touched is None:
        return states
    result: dict[_Key, _Entry] = {}
    for (state, later, settled), entry in states.items():
        if event.kind == "construct":
            following = automaton.start
        elif event.variant == "output":
            # Who gets what a model puts out can do no more with the model than that.
            following = automaton.next(state, "backward", "output")
        elif event.kind in ("copy", "escape"):
            by_variant = automaton.arrows.get((state, f"{event.kind}:{event.variant}"))
            following = by_variant or automaton.arrows.get(("*", "escape"), UNSEEN)
        else:
            following = automaton.next(state, event.kind, event.variant)
        since = event if following != state else entry.since
        _merge(result, (following, later, settled), entry.assumed, {**entry.trail, event.kind: event}, since)
        if touched == "may" and following != state:
            _merge(result, (state, later, settled), entry.assumed, entry.trail, entry.since)
    return result


def _flow(
    graph: EventGraph,
    node: Node,
    edge: Edge,
    states: dict[_Key, _Entry],
    into: dict[_Key, _Entry],
    automaton: Automaton,
    correlated: _Conditions,
) -> dict[_Key, None]:
    """Lead states over an edge: those that are new at its end, or changed there."""
    target = graph.nodes[edge.target]
    loop = target.loop if target.kind == "head" else None
    changed: dict[_Key, None] = {}
    if loop is None and node.forgets is None and target.loops == node.loops and edge.condition not in correlated:
        for key, entry in states.items():
            if _merge(into, key, entry.assumed, entry.trail, entry.since):
                changed[key] = None
        return changed
    inside = frozenset(target.loops)
    forgotten = correlated.of_name(*node.forgets) if node.forgets is not None else 0
    of_turn = correlated.of_turn(loop) if loop is not None and edge.back else 0
    taken, excluding = correlated.on(edge)
    for (state, later, _), entry in states.items():
        assumed = entry.assumed & ~forgotten
        if assumed & excluding:
            continue
        assumed = (assumed | taken) & ~of_turn
        since = entry.since
        if loop is not None:
            if edge.back:
                later = later | {loop}
                if since is not None and loop in since.loops:
                    state = automaton.next(state, "iterate")
            else:
                later = later - {loop}
        later = later & inside if not later <= inside else later
        key = (state, later, assumed & correlated.settled if state != UNSEEN else 0)
        if len(into) >= _MAX_APART and key not in into:
            key = (state, later, 0)
        if len(into) >= _MAX_STATES and key not in into:
            key = (state, frozenset[Loop](), 0)
        if _merge(into, key, assumed, entry.trail, since):
            changed[key] = None
    return changed


def _merge(into: dict[_Key, _Entry], key: _Key, assumed: int, trail: Mapping[str, Event], since: Event | None) -> bool:
    """Join a path into the paths of the same state; tells whether that changed them."""
    old = into.get(key)
    if old is None:
        into[key] = _Entry(assumed, trail, since)
        return True
    changed = False
    agreed = old.assumed & assumed
    if agreed != old.assumed:
        old.assumed = agreed
        changed = True
    if trail is not old.trail and not trail.keys() <= old.trail.keys():
        old.trail = {**trail, **old.trail}
        changed = True
    if old.since is None and since is not None:
        old.since = since
        changed = True
    return changed
