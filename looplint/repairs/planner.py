"""What every repair is planned with: the program, its layouts, and the common moves of statements that stand for events."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

import libcst as cst

from looplint.domain.objects import Obj
from looplint.flow.events import Event
from looplint.flow.remarks import Entrust
from looplint.queries.program import Program
from looplint.repairs.draft import Infeasible
from looplint.repairs.layout import Block, Layout, Statement
from looplint.repairs.names import binds, depends, sets
from looplint.repairs.places import Layouts, Place, only_does
from looplint.syntax.nodes import walk


class Planner:
    """Makes plans for the reports on one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layouts = Layouts()
        # What stands in a node, of those that were asked for: one repair after another looks through the same functions.
        self._nodes: dict[cst.CSTNode, list[cst.CSTNode]] = {}
        # Where the events of a kind stand in a file, for the same reason.
        self._offsets: dict[tuple[type[Event], Layout], _Offsets] = {}
        # The names that the repair at hand gives to what it keeps, by function; one repair may be made of several.
        self.given: set[tuple[Statement | None, str]] = set()

    def new_name(self, wanted: str, of: str, function: Statement | None) -> str:
        """A name for what a repair keeps in a function: the wanted one, or where that is taken one that tells of what it is too."""
        taken = function is not None and wanted in sets(function.node)
        if taken or (function, wanted) in self.given:
            wanted = f"{of.replace('.', '_').strip('_')}_{wanted}"
        self.given.add((function, wanted))
        return wanted

    def nodes_in(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """A node and all that are in it."""
        if node not in self._nodes:
            self._nodes[node] = list(walk(node))
        return self._nodes[node]

    # -- statements that stand for events

    def unit(self, place: Place, away_from: Statement, *kinds: str) -> Statement:
        """The statement to move: with the `if`, or the `for` whose names it uses, when nothing else stands in it.

        Raises:
            Infeasible: it does more than `kinds`, or cannot leave the block it is in.
        """
        if not only_does(self.program, place, *kinds):
            raise Infeasible("the statement does other things too")
        statement = place.statement
        while (owner := statement.block.owner) is not None:
            if any(s is owner for s in away_from.ancestors()) or isinstance(owner.node, cst.FunctionDef | cst.ClassDef):
                break
            bound = isinstance(owner.node, cst.For | cst.With | cst.Try) and binds(owner.node, statement.node)
            alone = len(statement.block.statements) == 1 and len(owner.blocks) == 1
            if not (alone and (isinstance(owner.node, cst.If) or bound)):
                if bound:
                    raise Infeasible("it uses names of the block it stands in")
                if isinstance(owner.node, cst.If) and not _stands_under(away_from, owner.node.test):
                    raise Infeasible("other statements are under the same condition")
                break
            statement = owner
        return statement

    def events_in(self, statement: Statement, layout: Layout, kind: type[Event] = Event) -> Iterator[Event]:
        """The events that happen in a statement, or in what it calls; with a kind, the remarks of that."""
        return self._offsets_of(kind, layout).within(statement)

    def _offsets_of(self, kind: type[Event], layout: Layout) -> _Offsets:
        key = (kind, layout)
        if key not in self._offsets:
            self._offsets[key] = _Offsets(self.program.events if kind is Event else self.program.of(kind), layout)
        return self._offsets[key]

    def entrusts(self, statement: Statement, layout: Layout) -> bool:
        """Whether code out of sight gets a loss in a statement, or in what it calls, and may send it backward."""
        return any(True for _ in self.events_in(statement, layout, Entrust))

    def does(self, statement: Statement, layout: Layout, obj: Obj | None, *kinds: str) -> bool:
        """Whether an event of some kinds happens to an object (to any where it is None) in a statement."""
        return any(e.kind in kinds and (obj is None or self.program.touches(e, obj)) for e in self.events_in(statement, layout))

    def alternatives(self, place: Place, obj: Obj | None, kind: str, moved: Statement | None = None) -> Statement:
        """The statement of an event, or the `if` whose branches each do the same (`scaler.step(o)` in one, `o.step()` in the other).

        What is `moved` to it from one of the branches stays in that one.
        """
        found = place.statement
        own = [] if moved is None else [*moved.ancestors()]
        for around in list(place.statement.ancestors())[1:]:
            if isinstance(around.node, cst.For | cst.While | cst.FunctionDef | cst.ClassDef) or around in own:
                break
            branches = [b for b in around.blocks if any(self.does(s, place.layout, obj, kind) for s in b.statements)]
            if len(branches) > 1:
                found = around
        return found

    def last_of(self, start: Statement, layout: Layout, obj: Obj | None, *kinds: str) -> Statement:
        """Going down from a statement: the last that follows it without a gap and does nothing but `kinds`."""
        found = start
        while (after := found.after) is not None:
            events = list(self.events_in(after, layout))
            if not events or not all(e.kind in kinds and (obj is None or self.program.touches(e, obj)) for e in events):
                break
            found = after
        return found


class _Offsets:
    """Where the events of a program, and the calls that lead to them, stand in one file, in the order of the text."""

    def __init__(self, events: Sequence[Event], layout: Layout) -> None:
        self._events = events
        begin: dict[cst.CSTNode, int] = {}
        found: set[tuple[int, int]] = set()
        for number, event in enumerate(events):
            for site in event.chain:
                if site.module is layout.info:
                    if site.node not in begin:
                        begin[site.node] = layout.extent(site.node)[0]
                    found.add((begin[site.node], number))
        self._order = sorted(found)

    def within(self, statement: Statement) -> Iterator[Event]:
        """The events that stand in a statement, or are led to by a call in it, in the order of the program."""
        first, last = bisect_left(self._order, (statement.start,)), bisect_left(self._order, (statement.end,))
        return (self._events[number] for number in sorted({number for _, number in self._order[first:last]}))


def common_block(one: Statement, two: Statement) -> tuple[Block, Statement, Statement]:
    """The innermost block that holds both statements, and what stands for each in it."""
    blocks = {s.block for s in one.ancestors()}
    for around in two.ancestors():
        if around.block in blocks:
            mine = one.within(around.block)
            assert mine is not None
            return around.block, mine, around
    raise Infeasible("the two places are in different functions")


def _stands_under(statement: Statement, test: cst.BaseExpression) -> bool:
    """Whether a statement stands under a condition of the same words."""
    return any(isinstance(a.node, cst.If) and a.node.test.deep_equals(test) for a in statement.ancestors())


def crossed(unit: Statement, target: Statement) -> list[Statement]:
    """The statements that a move carries a statement past: those between them in their common block, and above the target deeper in."""
    block, mine, theirs = common_block(unit, target)
    if mine.index < theirs.index:
        between = block.statements[mine.index + 1 : theirs.index]
    else:
        between = block.statements[theirs.index + 1 : mine.index]
    for around in target.ancestors():
        if around is theirs:
            break
        between += around.block.statements[: around.index]
    return between


def check_free(
    unit: Statement, target: Statement, *, including: bool = False, renewed: bool = False, of_library: Collection[cst.CSTNode] = ()
) -> None:
    """Raise where a statement cannot be carried to a target because of the names it uses or sets."""
    passed = [*crossed(unit, target), *([target] if including else [])]
    if depends(unit, passed, renewed=renewed, of_library=of_library):
        raise Infeasible("it uses names that are assigned in between")


def highest(statement: Statement, block: Block, index: int, lowest: int) -> int:
    """The first index of a block, not below `lowest`, to which a statement can be carried up from an index."""
    while index > lowest and not depends(statement, [block.statements[index - 1]]):
        index -= 1
    return index
