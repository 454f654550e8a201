"""The repair that puts a model in train mode, where nothing but its training passes by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from looplint.domain.objects import Obj
from looplint.flow.events import Eval, Event, Forward
from looplint.flow.graph import Loop
from looplint.queries.modes import eval_mode_of_use, forwards_finding
from looplint.queries.relations import exclude_each_other, stands_under
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Block, Layout, Statement
from looplint.repairs.modes import name_of_model
from looplint.repairs.names import sets
from looplint.repairs.places import Place, body_of, in_loop, is_handed_in, outermost_loop, place_at
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair

__all__ = ["InsertTrain"]


class Spot(NamedTuple):
    """Where a statement would be inserted, so many calls deep: before a statement of a block, or at its top."""

    layout: Layout
    depth: int
    before: Statement
    at_top: bool

    @property
    def block(self) -> Block:
        return self.before.block

    def insert(self, draft: Draft, code: str) -> None:
        if self.at_top:
            draft.line_at_top(self.block, code)
        else:
            draft.line_before(self.before, code)

    def leads_to(self, event: Event, depth: int) -> bool:
        """Whether a statement after it, in the block or deeper in, stands for an event so many calls deep."""
        site = event.chain[depth]
        statement = self.layout.statement_of(site.node) if site.module is self.layout.info else None
        within = statement.within(self.block) if statement is not None else None
        return within is not None and within.index >= self.before.index


class InsertTrain(Repair):
    """Insert `train()` at the top of the epoch body, before the batch loop of the function that trains, or where no validation passes by.

    Attributes:
        module: the model.
        loop: the loop in whose turns it has to be in train mode.
        event: the forward that trains it.
        in_turn: where the loop is one over passes and that forward serves them all, the `eval()` for the other ones: it has to come after the `train()`.
    """

    module: Obj
    loop: Loop
    event: Event
    in_turn: Event | None = None

    def plan(self, p: Planner) -> Plan:
        name, place, depth = self._named(p)
        if self.in_turn is not None:
            return self._plan_in_turn(p, name, place, depth, self.in_turn)
        relying = eval_mode_of_use(p.program, self.module)
        spots = [self._usual(p, name, place, depth), *_closer(name, place, depth)]
        spot = next((s for s in spots if not self._is_passed_by(p, s, relying)), None)
        if spot is None:
            raise Infeasible("a validation passes by each place for it")
        draft = Draft(spot.layout)
        spot.insert(draft, f"{name}.train()")
        # A later validation that switches to no mode itself has the eval mode that is left on now.
        later = not relying.isdisjoint(forwards_finding(p.program, self.module, self.event))
        return Plan(f"Set {name} to train mode before it is trained", "unsafe" if later else "safe", [draft], name)

    def _plan_in_turn(self, p: Planner, name: str, place: Place, depth: int, switch: Event) -> Plan:
        """At the top of the loop over passes: whether `eval()` follows in each pass that does not train is not proven."""
        here = p.layouts.of(self.loop.site.module).by_node.get(self.loop.site.node)
        if here is None or not any(s is here for s in place.statement.ancestors()):
            raise Infeasible("the model has no name in the loop over passes")
        spot = Spot(place.layout, depth, body_of(here).statements[0], at_top=True)
        outer = place.statement.within(spot.block)
        above = spot.block.statements[: outer.index] if outer is not None else ()
        if not spot.leads_to(switch, depth) or any(name.partition(".")[0] in sets(s.node) for s in above):
            raise Infeasible("the model is not there yet at the top of the loop over passes")
        draft = Draft(spot.layout)
        spot.insert(draft, f"{name}.train()")
        return Plan(f"Set {name} to train mode at the start of each pass", "unsafe", [draft], name)

    def _named(self, p: Planner) -> tuple[str, Place, int]:
        """How the outermost function that names the model does so, what stands for the forward there, and how many calls deep that is."""
        try:
            place = in_loop(self.event, self.loop, p.layouts)
            depth = next(n for n, site in enumerate(self.event.chain) if site is place.site)
        except (Infeasible, StopIteration):
            depth = 0
        for inner in range(depth, len(self.event.chain)):
            place = place_at(self.event, inner, p.layouts)
            name = name_of_model(p, self.module, place, self.event)
            if name is not None:
                return name, place, inner
        raise Infeasible("the model has no name where it is trained")

    def _usual(self, p: Planner, name: str, place: Place, depth: int) -> Spot:
        """The top of the loop's body, or the place before the outermost loop of the function."""
        layout = place.layout
        here = p.layouts.of(self.loop.site.module).by_node.get(self.loop.site.node)
        if here is not None and any(s is here for s in place.statement.ancestors()):
            body = body_of(here)
            outer = place.statement.within(body)
            assert outer is not None
            above = body.statements[: outer.index]
            if any(p.does(s, layout, self.module, "eval") or name.partition(".")[0] in sets(s.node) for s in above):
                return Spot(layout, depth, outer, at_top=False)
            return Spot(layout, depth, body.statements[0], at_top=True)
        target = outermost_loop(place.statement)
        function = layout.function_of(target)
        if target is place.statement and function is not None and is_handed_in(name, function):
            return Spot(layout, depth, body_of(function).statements[0], at_top=True)
        return Spot(layout, depth, target, at_top=False)

    def _is_passed_by(self, p: Planner, spot: Spot, relying: frozenset[Forward]) -> bool:
        """Whether a validation comes by a place, and would find train mode; or an `eval()` lies between it and the training."""
        switches = [e for e in p.program.of(Eval) if p.program.touches(e, self.module)]
        between = (e for e in switches if e.index < self.event.index and _calls_alike(e, self.event, spot.depth))
        if any(spot.leads_to(e, spot.depth) and not exclude_each_other(e, self.event) for e in between):
            return True
        for event in relying:
            for depth in range(len(event.chain)):
                if spot.leads_to(event, depth) and not any(
                    e.index < event.index and _calls_alike(e, event, depth) and spot.leads_to(e, depth) and stands_under(event, e.guards)
                    for e in switches
                ):
                    return True
        return False


def _closer(name: str, place: Place, depth: int) -> Iterator[Spot]:
    """Other places for a statement in the same function, the outermost first: its top, those of the blocks that hold the forward, and before that."""
    layout = place.layout
    function = layout.function_of(place.statement)
    around = [s for s in place.statement.ancestors() if s is function or (function is not None and layout.function_of(s) is function)]
    for inner, outer in reversed(list(zip(around, around[1:], strict=False))):
        if outer is not function or is_handed_in(name, outer):
            yield Spot(layout, depth, inner.block.statements[0], at_top=True)
    yield Spot(layout, depth, place.statement, at_top=False)


def _calls_alike(one: Event, other: Event, depth: int) -> bool:
    """Whether two events are in the same call of the function that so many calls lead to."""
    return one.root == other.root and len(one.calls) >= depth and one.calls[:depth] == other.calls[:depth]
