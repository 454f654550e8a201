"""Repairs of clears: moved, inserted, and of the right optimizer."""

from __future__ import annotations

import libcst as cst

from looplint.domain.objects import Engine, Obj, Optimizer
from looplint.finding import Applicability
from looplint.flow.events import Backward, Clear, Event, Forward, Step
from looplint.flow.graph import Loop
from looplint.queries.relations import related
from looplint.repairs.draft import Draft, Infeasible, first_place
from looplint.repairs.layout import Statement
from looplint.repairs.names import reads, sets
from looplint.repairs.places import Place, called, meet, place_at, receiver
from looplint.repairs.planner import Planner, check_free, common_block, highest
from looplint.repairs.repair import Plan, Repair

__all__ = ["ClearOther", "ClearPhase", "InsertClear", "MoveClear"]


class MoveClear(Repair):
    """Move a clear to the top of the batch body, after the step of another optimizer that stands above.

    Where it stands in a function that also steps and does not run the backward, or where gradients of several batches add up to a step, it
    goes after the step.

    Attributes:
        optimizer: whose gradients are cleared.
        clear: the clear that comes too late.
        backward: the backward whose gradients it clears.
        step: the step that lacks them.
        behind: whether it goes after the step, as a clear above the backward does that an accelerator puts off.
    """

    optimizer: Optimizer | Engine
    clear: Clear
    backward: Backward
    step: Step
    behind: bool = False

    def plan(self, p: Planner) -> Plan:
        backward = self.backward
        if backward.manual:  # gradients that are changed by hand were filled before
            backward = next((e for e in _backwards(p, self.optimizer, self.clear) if not e.manual), backward)
        mine, theirs = meet(self.clear, backward, p.layouts)
        others = [e for e in p.program.of(Step) if self.optimizer not in e.subjects and backward.index < e.index < self.clear.index]
        holds = self.optimizer.holds
        if others and any(related(holds, e.subjects) for e in p.program.of(Forward) if self.clear.index < e.index < self.step.index):
            raise Infeasible(
                "another optimizer has used those gradients, and a loss of its own is computed after the clear: its backward may be missing"
            )
        with_step = not mine.direct and p.does(mine.statement, mine.layout, self.optimizer, "step")
        if self.behind or with_step or _accumulates(p, backward, self.step):
            return _clear_behind_step(p, self.optimizer, self.clear, self.step, backward)
        unit = p.unit(mine, theirs.statement, "clear")
        block, outer, backwards = common_block(unit, theirs.statement)
        if outer is not unit:
            check_free(unit, backwards)
        index = highest(unit, block, outer.index, _top(p, self.optimizer, backwards, mine))
        if index > backwards.index:
            raise Infeasible("it uses names that are assigned after the backward")
        draft = Draft(mine.layout)
        first, docstring = first_place(block)
        target = block.statements[index]
        if target is unit:
            raise Infeasible("it is already above the backward")
        if target is first and docstring:
            draft.move_after(unit, first)
        else:
            draft.move_before(unit, target)
        # Where another optimizer has stepped on these gradients, they may be its own.
        return Plan(f"Move the clear of {called(self.optimizer)} before the forward pass", "unsafe" if others else "safe", [draft])


def _backwards(p: Planner, optimizer: Obj, before: Event) -> list[Backward]:
    """The backwards into an optimizer's gradients that come before an event, the last one first."""
    return [e for e in reversed(p.program.of(Backward)) if e.index < before.index and p.program.touches(e, optimizer)]


def _accumulates(p: Planner, backward: Event, step: Event) -> bool:
    """Whether the step is made on some turns only of the loop that runs the backward."""
    loop = backward.loops[-1] if backward.loops else None
    return (
        loop is not None and loop in step.loops and p.program.every_iteration(backward, loop) and not p.program.every_iteration(step, loop)
    )


def _clear_behind_step(p: Planner, optimizer: Obj, clear: Event, step: Event, backward: Event) -> Plan:
    mine, theirs = meet(clear, step, p.layouts)
    target = p.last_of(p.alternatives(theirs, optimizer, "step"), theirs.layout, None, "update")
    unit = p.unit(mine, target, "clear")
    check_free(unit, target, including=True)
    draft = Draft(mine.layout)
    # What another loss leaves, after the step or in another loop, would be there at the next backward.
    later = (e for e in p.program.of(Backward) if e.index > step.index and e.loops[:1] == step.loops[:1])
    before = (e for e in p.program.of(Backward) if e.index < backward.index and e.loops != backward.loops)
    left = [e for e in (*before, *later) if p.program.touches(e, optimizer)]
    applicability: Applicability = "unsafe" if left else "safe"
    if _cleared_behind(p, optimizer, clear, step):
        draft.remove(unit)
        return Plan(f"Remove the clear of {called(optimizer)}: it is cleared after its step", applicability, [draft])
    draft.move_after(unit, target)
    return Plan(f"Move the clear of {called(optimizer)} after its step", applicability, [draft])


def _cleared_behind(p: Planner, optimizer: Obj, clear: Event, step: Event) -> bool:
    """Whether another clear follows a step in its turn whenever it is made, with no backward in between."""
    clears = [e for e in p.program.of(Clear) if e is not clear and optimizer in e.subjects and e.certain and e.index > step.index]
    behind = next((e for e in clears if e.loops == step.loops and set(e.guards) <= set(step.guards)), None)
    return behind is not None and not any(step.index < e.index < behind.index for e in p.program.of(Backward))


def _top(p: Planner, optimizer: Obj, backward: Statement, place: Place) -> int:
    """The index in the backward's block after the last step of another optimizer above it."""
    for index in range(backward.index - 1, -1, -1):
        statement = backward.block.statements[index]
        events = [e for e in p.events_in(statement, place.layout) if e.kind == "step"]
        if any(optimizer not in e.subjects for e in events):
            return index + 1
    return 0


class InsertClear(Repair):
    """Insert a clear at the top of the batch body; after the step where that does not run for every batch, or is elsewhere.

    With several optimizers it belongs to the optimizer's own backward, the last one before its step: what the losses of others have left
    is cleared too.

    Attributes:
        optimizer: whose gradients nothing clears.
        step: its step.
        backward: a backward into its gradients.
        loop: the loop over batches that both are in.
    """

    optimizer: Optimizer | Engine
    step: Step
    backward: Backward
    loop: Loop

    def plan(self, p: Planner) -> Plan:
        name = receiver(self.step, self.optimizer, p.layouts)
        if name is None:
            raise Infeasible("the step does not name its optimizer")
        if self.optimizer in p.program.sources:
            raise Infeasible("the gradients are those of another model, which the program gives the optimizer's own")
        before = (e for e in _backwards(p, self.optimizer, self.step) if e.loops == self.backward.loops)
        backward = next(before, self.backward)
        code = f"{name}.zero_grad()"
        applicability: Applicability = "safe" if len([o for o in p.program.optimizers if isinstance(o, Optimizer)]) == 1 else "unsafe"
        steps, backwards = meet(self.step, backward, p.layouts)
        draft = Draft(steps.layout)
        if (
            steps.direct
            and backwards.direct
            and self.loop in self.step.loops
            and p.program.every_iteration(self.step, self.loop)
            and self.step.loops == backward.loops
            and not self._only_under_an_option(p, backward)
        ):
            block, _, target = common_block(steps.statement, backwards.statement)
            index = _top(p, self.optimizer, target, steps)
            used = reads(cst.parse_expression(name))
            for number in range(target.index - 1, index - 1, -1):
                if used & sets(block.statements[number].node):
                    index = number + 1
                    break
            if index == 0:
                draft.line_at_top(block, code)
            else:
                draft.line_before(block.statements[index], code)
            return Plan(f"Clear the gradients of {name} before the forward pass", applicability, [draft])
        own = place_at(self.step, len(self.step.calls), p.layouts)
        draft = Draft(own.layout)
        around = p.alternatives(own, self.optimizer, "step")
        draft.line_after(p.last_of(around, own.layout, None, "update", "schedule"), code)
        return Plan(f"Clear the gradients of {name} after its step", applicability, [draft])

    def _only_under_an_option(self, p: Planner, backward: Backward) -> bool:
        """Whether the optimizer steps under a condition that the backward is not under, and in no other way: without it there may be no optimizer."""
        others = [e for e in p.program.of(Step) if self.optimizer in e.subjects and e.site.node is not self.step.site.node]
        return not others and any(guard not in backward.guards for guard in self.step.guards)


class ClearPhase(Repair):
    """Insert a clear where an optimizer's own phase begins, after what another one's has left.

    Attributes:
        optimizer: whose gradients are not clean.
        step: its step.
        own: the backwards of its own phase.
        loop: the loop that all of them are in.
    """

    optimizer: Optimizer | Engine
    step: Step
    own: tuple[Backward, ...]
    loop: Loop

    def plan(self, p: Planner) -> Plan:
        if len(self.own) != 1:
            raise Infeasible("its own gradients come from several backwards: the clear belongs before the first of them")
        return InsertClear(optimizer=self.optimizer, step=self.step, backward=self.own[0], loop=self.loop).plan(p)


class ClearOther(Repair):
    """Clear the optimizer that steps, at the clear that names another one.

    Attributes:
        wrong: the clear that names the wrong optimizer.
        other: the optimizer that it names.
        optimizer: the optimizer that it should name.
        step: the step of that one.
    """

    wrong: Clear
    other: Obj
    optimizer: Optimizer | Engine
    step: Step

    def plan(self, p: Planner) -> Plan:
        mine, theirs = meet(self.wrong, self.step, p.layouts)
        name = receiver(self.step, self.optimizer, p.layouts)
        node = self.wrong.site.node
        if (
            name is None
            or not mine.direct
            or not theirs.direct
            or not isinstance(node, cst.Call)
            or not isinstance(node.func, cst.Attribute)
        ):
            raise Infeasible("the clear and the step are in different functions")
        draft = Draft(mine.layout)
        draft.replace(node.func.value, name)
        return Plan(f"Clear {name} instead of {called(self.other)}", "unsafe", [draft])
