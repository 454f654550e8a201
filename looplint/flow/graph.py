"""The control-flow graph of events: what happens, on which objects, in which order, over functions and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from looplint.dataclass import dataclass, field
from looplint.domain.call_string import CallString
from looplint.domain.objects import Obj
from looplint.domain.values import Value
from looplint.flow.events import Event
from looplint.syntax.site import Site

if TYPE_CHECKING:
    from looplint.domain.values import EventKey
    from looplint.syntax import ir
    from looplint.syntax.ir import Expr


@dataclass(slots=True, eq=False)
class Loop:
    """A loop of the program in one calling context."""

    site: Site
    parent: Loop | None
    assigned: frozenset[str]
    frame: CallString
    over: Value = frozenset()
    iterates: str = ""
    # The `range(...)` whose numbers it goes over, also behind a bar of progress: "" for none.
    counting: str = ""
    bound: Value = frozenset()
    # What its numbers count the items of: `range(len(layers))`.
    counted: Value = frozenset()
    unrolled: bool = False
    # The names that the body sets to a number of the text.
    reset: frozenset[str] = frozenset()
    # The names that each turn of a `for` gives a value.
    targets: frozenset[str] = frozenset()
    # The statement, and the function in whose text it stands; None where it is no statement.
    stmt: ir.For | ir.While | None = None
    function: ir.Function | None = None
    # What iterators go over that are created right before the loop, and advanced by `next` in it.
    taken: set[Obj] = field(default_factory=set)
    # Whether `next` takes a batch of a loader in each turn, wherever its iterator is made.
    draws: bool = False
    # How many turns it has by the numbers in the text, where no setting says otherwise.
    usual: int | None = None
    # Whether it has one turn by the number that it counts to.
    once: bool = False
    # Whether a backward in it retains its graph, and then the forwards whose graphs a turn takes over from the one before; None where that was not looked for.
    retains: bool = False
    carried: frozenset[EventKey] | None = None
    # Whether a turn then takes over a graph that goes through no forward, but to parameters or other leaves.
    carries_roots: bool | None = None
    # Whether a turn may follow another: not where each ends in a `break`, a `return` or an error, or where there is only one.
    repeats: bool = True

    @property
    def depth(self) -> int:
        return 1 + (self.parent.depth if self.parent else 0)

    def lineage(self) -> Iterator[Loop]:
        """This loop, the one around it, and so on."""
        loop: Loop | None = self
        while loop is not None:
            yield loop
            loop = loop.parent


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition under which code runs: its expression, and whether it held."""

    test: Expr
    held: bool
    frame: CallString
    depth: int
    names: frozenset[str]
    # The outermost call in whose words it can be said, and the condition in these words.
    home: CallString
    meaning: Expr
    # The object that it asks for attributes which only its constructor sets: whichever of its methods asks, the answer is the same.
    owner: Obj | None = None
    # Whether the mode that a module is in decides it.
    of_mode: bool = False
    # Whether the loop around it ends with the other outcome: what it stands before happens in each turn that another one follows.
    stays: bool = False
    # The names in it that divide a number, or to which one is counted, and stand for 1; those of which the text has a number above 1.
    ones: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()
    # Whether it has one outcome as long as a program runs, as what options decide has.
    settled: bool = False

    @property
    def speaker(self) -> object:
        """In whose words it is said: two conditions of one text and one speaker have one outcome."""
        return self.owner or self.home


NodeKind = Literal["entry", "event", "branch", "head", "exit", "forget"]


@dataclass(slots=True)
class Node:
    """A node of the graph: an event, a loop's head, a forgotten condition, or a plain junction."""

    index: int
    kind: NodeKind
    loops: tuple[Loop, ...]
    event: Event | None = None
    loop: Loop | None = None
    forgets: tuple[CallString, str] | None = None
    succ: list[Edge] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Condition:
    """A condition as paths remember it: the same outcome wherever it is tested, until one of its names changes.

    A graph has one object for each (`EventGraph.condition`), so that conditions are compared by identity. `of` is the object that a name is
    tested to be, where it can be one of several, or of which it tests attributes that only its constructor sets, or the options of the command
    line: then it is `settled`.
    """

    frame: CallString
    text: str
    names: frozenset[str]
    of: Obj | None = None
    settled: bool = False


class Edge(NamedTuple):
    """The way from a node to the next; it is taken where its condition has the value `held`, and `back` leads to a loop's head."""

    target: int
    condition: Condition | None = None
    held: bool = True
    back: bool = False


class Loose(NamedTuple):
    """An edge whose target is not there yet."""

    source: int
    condition: Condition | None = None
    held: bool = True


class EventGraph:
    """Built once, node after node; a loop body that has to be read again is cut off and rebuilt."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.entries: list[int] = []
        self._conditions: dict[object, Condition] = {}

    def condition(self, frame: CallString, text: str, names: frozenset[str], of: Obj | None = None, *, settled: bool = False) -> Condition:
        """The condition of a text in a frame; the same object each time."""
        key = (frame, text, names, of)
        found = self._conditions.get(key)
        if found is None:
            found = self._conditions[key] = Condition(frame, text, names, of, settled)
        return found

    def add(
        self,
        kind: NodeKind,
        loops: tuple[Loop, ...],
        after: list[Loose],
        *,
        event: Event | None = None,
        loop: Loop | None = None,
        forgets: tuple[CallString, str] | None = None,
    ) -> int:
        """Add a node after loose edges, and return its number."""
        node = Node(len(self.nodes), kind, loops, event, loop, forgets)
        self.nodes.append(node)
        for loose in after:
            self.connect(loose, node.index)
        if node.event is not None:
            node.event.index = node.index
        return node.index

    def connect(self, loose: Loose, target: int, *, back: bool = False) -> None:
        edge = Edge(target, loose.condition, loose.held, back)
        edges = self.nodes[loose.source].succ
        if edge not in edges:
            edges.append(edge)

    def cut(self, length: int, leading: Iterable[int] = ()) -> None:
        """Forget every node from `length` on. The node before them, the head of a loop being read again, and those `leading` lead into them."""
        del self.nodes[length:]
        while self.entries and self.entries[-1] >= length:
            self.entries.pop()
        for index in {length - 1, *leading} if length else ():
            self.nodes[index].succ = [e for e in self.nodes[index].succ if e.target < length]

    def events(self) -> list[Event]:
        return [n.event for n in self.nodes if n.event is not None]

    def text(self) -> str:
        """The graph as text, for `looplint debug` and the goldens."""
        lines = []
        for node in self.nodes:
            what = repr(node.event) if node.event else node.kind
            edges = []
            for edge in node.succ:
                condition = f" if {'' if edge.held else 'not '}{edge.condition.text}" if edge.condition else ""
                edges.append(f"{edge.target}{' (back)' if edge.back else ''}{condition}")
            lines.append(f"{node.index:3} {'  ' * len(node.loops)}{what} -> {', '.join(edges) or 'end'}")
        return "\n".join(lines)
