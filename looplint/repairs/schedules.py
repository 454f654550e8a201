"""Repairs of the learning-rate schedule and of what the optimizer holds: statements that go elsewhere as they are."""

from __future__ import annotations

from contextlib import suppress

import libcst as cst

from looplint.domain.objects import Obj
from looplint.finding import Applicability
from looplint.flow.events import Clear, Construct, Event, Step
from looplint.flow.graph import Loop
from looplint.flow.remarks import AskPlace
from looplint.regex import regex
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Statement
from looplint.repairs.names import depends, reads, sets
from looplint.repairs.places import Place, body_of, in_loop, loop_statement, meet, name_in, place_at
from looplint.repairs.planner import Planner, check_free, common_block, crossed
from looplint.repairs.rates import Rate, behind, is_read_further_on, last_read
from looplint.repairs.repair import Plan, Repair
from looplint.repairs.taking import taking
from looplint.syntax.nodes import children

__all__ = [
    "MoveAfterStep",
    "MoveBeforeConstruction",
    "MoveConstruction",
    "MoveIntoBatchLoop",
    "MoveToEpochEnd",
    "PassMetric",
    "RebuildScheduler",
]

_VALIDATION_LOSS = regex(r"(?i)(val|test|dev|eval).*loss|loss.*(val|test|dev|eval)")
_LOOPS = cst.For | cst.While


# Schedulers that are made of schedulers.
_OF_OTHERS = frozenset({"SequentialLR", "ChainedScheduler"})


class MoveToEpochEnd(Repair):
    """Move a scheduler's step to the end of the epoch body, or after the batch loop where the epoch's is elsewhere.

    Attributes:
        event: the scheduler's step.
        loop: the loop over batches that it is in.
        told: whether the program says that the scheduler counts epochs.
    """

    event: Event
    loop: Loop
    told: bool = True

    def plan(self, p: Planner) -> Plan:
        place = in_loop(self.event, self.loop, p.layouts)
        batches = loop_statement(self.loop, p.layouts)
        unit = p.unit(place, batches, "schedule")
        target = batches
        epochs = p.layouts.of(self.loop.parent.site.module).by_node.get(self.loop.parent.site.node) if self.loop.parent else None
        if epochs is not None and batches.block is body_of(epochs):
            following = batches.block.statements[batches.index :]
            if not any(_leaves_early(s.node) for s in following[1:]):
                target = following[-1]
        if depends(unit, crossed(unit, target)) or sets(unit.node) or _uses_targets(unit, batches):
            raise Infeasible("it uses names of the batch loop")
        draft = Draft(place.layout)
        draft.move_after(unit, target)
        safe = self.told and not _is_asked_between(p, self.event, place, target)
        return Plan("Step the scheduler once per epoch, after the batch loop", "safe" if safe else "unsafe", [draft])


def _uses_targets(unit: Statement, loop: Statement) -> bool:
    return isinstance(loop.node, cst.For) and depends(unit, [loop])


def _leaves_early(node: cst.CSTNode) -> bool:
    """Whether `continue`, `break` or `return` stands in a statement, outside inner loops' own jumps."""
    if isinstance(node, cst.Continue | cst.Break | cst.Return):
        return True
    if isinstance(node, _LOOPS | cst.FunctionDef | cst.Lambda):
        return False
    return any(_leaves_early(child) for child in children(node))


class MoveIntoBatchLoop(Repair):
    """Move a scheduler's step after the optimizer's, into the batch loop and under the same guard.

    Attributes:
        event: the scheduler's step.
        step: the optimizer's step in the loop over batches.
        optimizer: the optimizer that steps, where that is known.
    """

    event: Event
    step: Event
    optimizer: Obj | None

    def plan(self, p: Planner) -> Plan:
        mine, theirs = meet(self.event, self.step, p.layouts)
        if not theirs.direct:
            raise Infeasible("the optimizer steps in another function, where the scheduler is not known")
        target = _behind_update(p, theirs, self.optimizer)
        # A condition on epochs would be tested in every batch.
        plain = isinstance(p.unit(mine, target, "schedule").node, cst.BaseSmallStatement)
        applicability: Applicability = "safe" if plain and not _is_asked_between(p, self.event, mine, target) else "unsafe"
        return _step_after(p, mine, target, "Step the scheduler after every optimizer step", applicability)


class MoveAfterStep(Repair):
    """Move a scheduler's step after the optimizer's last one in the same turn of their loop, and behind what reads its rate; not deeper into inner loops.

    Attributes:
        event: the scheduler's step.
        step: the optimizer's step.
        optimizer: the optimizer that steps.
        beside: whether another scheduler steps where this one does, and stays there.
        idle: whether the first rate, which is next to none, would be that of many steps.
    """

    event: Event
    step: Event
    optimizer: Obj
    beside: bool = False
    idle: bool = False

    def plan(self, p: Planner) -> Plan:
        mine, theirs = meet(self.event, self.step, p.layouts)
        block, _, outer = common_block(mine.statement, theirs.statement)
        inner = any(
            isinstance(s.node, _LOOPS) for s in theirs.statement.ancestors() if s.block is not block and s is not theirs.statement
        ) or isinstance(outer.node, _LOOPS)
        others = [s for s in block.statements[outer.index + 1 :] if p.does(s, mine.layout, self.optimizer, "step")]
        target = others[-1] if others else outer if inner else _behind_update(p, theirs, self.optimizer)
        message, rate = "Step the scheduler after the optimizer", Rate(self.optimizer, self.event)
        last = last_read(p, mine, target, rate)
        elsewhere = self.beside or self.idle or is_read_further_on(p, mine, target, self.step, rate)
        if last is not None and _may_pass(p, mine, target, last, rate):
            with suppress(Infeasible):
                changed = elsewhere or _is_asked_between(p, self.event, mine, last)
                return _step_after(p, mine, last, message, "unsafe" if changed else "safe")
        changed = elsewhere or last is not None or _is_asked_between(p, self.event, mine, target)
        return _step_after(p, mine, target, message, "unsafe" if changed else "safe")


def _may_pass(p: Planner, mine: Place, target: Statement, last: Statement, rate: Rate) -> bool:
    """Whether a scheduler's step may come behind what reads its rate: nothing on the way leaves the turn, or keeps how far the scheduler has got."""
    passed = [s for s in behind(mine, target) if s.index <= last.index]
    return not any(_leaves_early(s.node) or rate.is_kept(p.events_in(s, mine.layout)) for s in passed)


def _is_asked_between(p: Planner, event: Event, mine: Place, target: Statement) -> bool:
    """Whether what a move carries a scheduler's step past reads how far that has got, and would find it elsewhere; code out of sight that gets it may.

    In the epoch of a milestone `get_lr()` then gives the lowered rate times the factor once more; `get_last_lr()` gives the rate that is in force.
    """
    _, here, there = common_block(mine.statement, target)
    passed = [here, *crossed(mine.statement, target), there]
    asked = (e for s in passed for e in (*p.events_in(s, mine.layout, AskPlace), *p.events_in(s, mine.layout)))
    return any(e.kind in ("ask-place", "escape") and not e.subjects.isdisjoint(event.subjects) for e in asked)


def _behind_update(p: Planner, step: Place, optimizer: Obj | None) -> Statement:
    return p.last_of(p.alternatives(step, optimizer, "step"), step.layout, None, "update")


def _step_after(p: Planner, mine: Place, target: Statement, message: str, applicability: Applicability = "safe") -> Plan:
    unit = p.unit(mine, target, "schedule")
    check_free(unit, target, including=True)
    draft = Draft(mine.layout)
    draft.move_after(unit, target)
    return Plan(message, applicability, [draft])


class PassMetric(Repair):
    """Pass a scheduler its metric: the one name that looks like a validation loss, set before the call in the same block.

    Attributes:
        event: the scheduler's step.
    """

    event: Event

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        node = self.event.site.node
        names: dict[str, None] = {}
        for around in place.statement.ancestors():
            if isinstance(around.node, cst.FunctionDef):
                names = dict.fromkeys(q.name.value for q in around.node.params.params if _VALIDATION_LOSS.search(q.name.value))
                break
            for statement in around.block.statements[: around.index]:
                names |= dict.fromkeys(n for n in sorted(sets(statement.node)) if _VALIDATION_LOSS.search(n))
            if names:
                break
        if len(names) != 1 or not isinstance(node, cst.Call) or len(node.args) > 1:
            raise Infeasible("the validation loss has no unique name in scope")
        (name,) = names
        draft = Draft(place.layout)
        if node.args:
            draft.replace(node.args[0].value, name)
        else:
            draft.insert(place.layout.extent(node)[1] - 1, name)
        return Plan(f"Pass {name} to the scheduler", "unsafe", [draft])


class MoveBeforeConstruction(Repair):
    """Move a model before its optimizer is built; where its statement cannot go up, the construction goes down.

    Attributes:
        event: the move of the model.
        construct: the construction of the optimizer.
    """

    event: Event
    construct: Event

    def plan(self, p: Planner) -> Plan:
        mine, theirs = meet(self.event, self.construct, p.layouts)
        either = {one for obj in self.construct.subjects for one in obj.one_of}
        constructs = [self.construct, *(e for e in p.program.of(Construct) if not either.isdisjoint(e.subjects))]
        if any(_makes_parts(construct, mine, p) for construct in constructs):
            raise Infeasible("the call that builds the optimizer makes what is moved")
        taken = taking(mine, theirs)
        try:
            unit = p.unit(mine, theirs.statement, "move")
            target = taken[0]
            passed = [target, *crossed(unit, target)]
            if depends(unit, passed, _set_to_itself(self.event, mine)):
                raise Infeasible("it uses names that are assigned in between")
            if any(isinstance(statement.node, cst.Import | cst.ImportFrom) for statement in passed):
                raise Infeasible("what is imported in between may be what makes the device known")
        except Infeasible:
            return _construction_after(p, theirs, mine, "Build the optimizer after the move", "safe", taken)
        draft = Draft(mine.layout)
        draft.move_before(unit, target)
        return Plan("Move the model before the optimizer takes its parameters", "safe", [draft])


def _makes_parts(construct: Event, moved: Place, p: Planner) -> bool:
    """Whether a function that leads to an optimizer's construction gives its object what another statement moves, or parts of that."""
    node = moved.site.node
    receiver = moved.layout.code(node.func.value) if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else ""
    owner, here = receiver.partition(".")[0], moved.layout.function_of(moved.statement)
    for depth in range(len(construct.chain)):
        place = place_at(construct, depth, p.layouts)
        function = place.layout.function_of(place.statement)
        if function is None or function is here:
            continue
        assert isinstance(function.node, cst.FunctionDef)
        given = {name for name in sets(function.node.body) - sets(place.statement.node) if name.startswith(f"{owner}.")}
        if any(name == receiver or name.startswith(f"{receiver}.") for name in given):
            return True
    return False


class MoveConstruction(Repair):
    """Build an optimizer after the statement that changes what it should hold; where it cannot go there, the new part is added to it.

    Attributes:
        construct: the construction of the optimizer.
        event: the statement that replaces parameters.
        optimizer: the optimizer.
    """

    construct: Event
    event: Event
    optimizer: Obj

    def plan(self, p: Planner) -> Plan:
        try:
            mine, theirs = meet(self.construct, self.event, p.layouts)
            return _construction_after(p, mine, theirs, "Build the optimizer after the replacement", "unsafe", taking(theirs, mine))
        except Infeasible as reason:
            place = place_at(self.event, len(self.event.calls), p.layouts)
            layout, node = place.layout, place.statement.node
            name = name_in(p.program, self.optimizer, place, p.layouts, (Clear, Step, Construct))
            if name is None or not isinstance(node, cst.Assign) or len(node.targets) != 1:
                raise reason from None
            draft = Draft(layout)
            draft.line_after(place.statement, f'{name}.add_param_group({{"params": {layout.code(node.targets[0].target)}.parameters()}})')
            return Plan(f"Add the new parameters to {name}", "unsafe", [draft])


def _set_to_itself(event: Event, place: Place) -> frozenset[str]:
    """The name in `model = model.to(device)`: a module moves in place, and gives itself back."""
    node, statement = event.site.node, place.statement.node
    if (
        isinstance(statement, cst.Assign)
        and len(statement.targets) == 1
        and isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
    ):
        target, receiver = (place.layout.code(part) for part in (statement.targets[0].target, node.func.value))
        if statement.value is node and target == receiver:
            return frozenset({target})
    return frozenset()


class RebuildScheduler(Repair):
    """Build a scheduler on the optimizer that steps, after its construction.

    Attributes:
        scheduler: the construction of the scheduler.
        construct: the construction of the optimizer that steps.
        again: whether the scheduler that is there is needed too.
    """

    scheduler: Event
    construct: Event
    again: bool

    def plan(self, p: Planner) -> Plan:
        mine, theirs = meet(self.scheduler, self.construct, p.layouts)
        layout, node, statement = mine.layout, self.scheduler.site.node, theirs.statement.node
        if not (
            theirs.direct and isinstance(statement, cst.Assign) and len(statement.targets) == 1 and isinstance(node, cst.Call) and node.args
        ):
            raise Infeasible("the optimizer that steps has no name where the scheduler is built")
        if layout.code(node.func).rpartition(".")[2] in _OF_OTHERS:
            raise Infeasible("the schedulers it consists of are built on the other optimizer too")
        name, given = layout.code(statement.targets[0].target), node.args[0]
        if given.star or (given.keyword is not None and given.keyword.value != "optimizer"):
            raise Infeasible("the scheduler does not get its optimizer as a plain argument")
        if layout.code(given.value) == name:
            unit, target = mine.statement, theirs.statement
            between = [s for s in crossed(unit, target) if s is not target]
            if unit.block is not target.block or (not self.again and (depends(unit, between) or _meet(unit, target, name))):
                raise Infeasible("the scheduler's construction cannot be moved there")
            draft = Draft(layout)
            if self.again:
                draft.line_after(target, layout.text[unit.start : unit.end])
            else:
                draft.move_after(unit, target)
            return Plan(f"Build the scheduler after {name}", "unsafe", [draft])
        if self.again:
            raise Infeasible("the scheduler's own optimizer steps in another loop")
        if theirs.statement.start > mine.statement.start:
            raise Infeasible(f"{name} is built further down, under another name")
        draft = Draft(layout)
        draft.replace(given.value, name)
        return Plan(f"Build the scheduler on {name}", "unsafe", [draft])


def _meet(unit: Statement, target: Statement, name: str) -> bool:
    """Whether the scheduler's statement and the optimizer's have to do with each other in more than the optimizer's name."""
    return bool((sets(target.node) - {name}) & reads(unit.node) or sets(unit.node) & reads(target.node))


def _construction_after(
    p: Planner, construct: Place, event: Place, message: str, applicability: Applicability, taken: list[Statement]
) -> Plan:
    """Carry the construction of an optimizer down past an event, with the statements in which it takes the parameters."""
    if not construct.direct:
        raise Infeasible("the optimizer is built in another function")
    unit = p.unit(construct, event.statement, "construct")
    target = common_block(unit, event.statement)[2]
    if len(taken) > 1 and taken[-1] is not unit:
        raise Infeasible("the parameters are collected in another block")
    units = [*taken[:-1], unit]
    for each in units:
        passed = [s for s in (*crossed(each, target), target) if s not in units]
        if depends(each, passed, renewed=True, of_library=[event.site.node] if event.direct else ()):
            raise Infeasible("it uses names that are assigned in between")
    draft = Draft(construct.layout)
    for each in units:
        draft.move_after(each, target)
    return Plan(message, applicability, [draft])
