"""Repairs of optimizer steps and of the clips before them: moved, inserted, and made on the last batch too."""

from __future__ import annotations

import re

import libcst as cst

from looplint.domain.objects import Engine, Module, Obj, Optimizer
from looplint.flow.events import Backward, Clear, Clip, Construct, Event, Schedule, Step, Unscale
from looplint.flow.graph import Loop
from looplint.queries.naming import called_at, callee
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.places import Place, called, in_loop, loop_statement, meet, name_in, name_in_function, place_at
from looplint.repairs.planner import Planner, check_free, common_block
from looplint.repairs.repair import Plan, Repair

__all__ = ["InsertStep", "MoveAfterBackward", "MoveBeforeStep", "StepAtTheEnd"]


class MoveBeforeStep(Repair):
    """Move a clip to just before the step, inside its guard; a scaler's gradients are unscaled before it.

    Attributes:
        clip: the clip, or what else has to see the gradients that the step uses.
        step: the step.
        optimizer: the optimizer that steps.
    """

    clip: Clip
    step: Step
    optimizer: Optimizer | Engine

    def plan(self, p: Planner) -> Plan:
        if any(isinstance(each, Module) and each.sharded for each in self.clip.subjects) and _takes_the_norm_of_a_part(self.clip):
            raise Infeasible(
                "each process has a part of the gradients: their norm is that which the model's own clip_grad_norm_() clips by"
            )
        mine, theirs = meet(self.clip, self.step, p.layouts)
        if not theirs.direct and p.does(theirs.statement, theirs.layout, self.optimizer, "backward"):
            raise Infeasible("the function that steps also runs the backward")
        target = p.alternatives(theirs, self.optimizer, "step", mine.statement)
        unit = p.unit(mine, target, "clip", "unscale")
        check_free(unit, target)
        draft = Draft(mine.layout)
        if self.step.scaler is not None:
            _unscale(p, draft, mine, theirs, target, self.optimizer, self.step)
        draft.move_before(unit, target)
        return Plan(f"Move the clip to just before the step of {called_at(self.step, self.optimizer)}", "safe", [draft])


def _takes_the_norm_of_a_part(clip: Clip) -> bool:
    """Whether a clip is torch's own of a norm, which knows of no other process: no method of a model or an accelerator."""
    owner, _, name = callee(clip.site).rpartition(".")
    return name in ("clip_grad_norm_", "clip_grad_norm") and (not owner or owner.endswith("utils"))


def _unscale(p: Planner, draft: Draft, clip: Place, steps: Place, target: Statement, optimizer: Obj, step: Event) -> None:
    """Gradients are unscaled once between backward and clip: what does it too early moves along, what is missing is inserted."""
    present = [e for e in p.program.of(Unscale) if p.program.touches(e, optimizer) or optimizer in e.subjects]
    if not present:
        node = step.site.node
        if not steps.direct or target is not steps.statement or not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            raise Infeasible("its gradients are scaled, and the place to unscale them is in another function or branch")
        layout = steps.layout
        draft.line_before(target, f"{layout.code(node.func.value)}.unscale_({layout.code(node.args[0].value)})")
        return
    for event in present:
        other, _ = meet(event, step, p.layouts)
        unscale = other.statement
        if unscale is clip.statement:
            continue
        if unscale.block is clip.statement.block and unscale.start < clip.statement.start < target.start:
            draft.move_before(p.unit(other, target, "unscale"), target)


class MoveAfterBackward(Repair):
    """Move a step, with what follows it, after the backward and its clips.

    Attributes:
        step: the step that comes too early.
        backward: the backward whose gradients it should use.
        optimizer: the optimizer that steps.
    """

    step: Step
    backward: Backward
    optimizer: Optimizer | Engine

    def plan(self, p: Planner) -> Plan:
        between = [e for e in p.program.of(Clear) if self.step.index < e.index < self.backward.index and e.loops == self.step.loops]
        if any(self.optimizer not in e.subjects for e in between):
            raise Infeasible("another optimizer is cleared for the backward that follows: a backward of its own may be missing")
        mine, theirs = meet(self.step, self.backward, p.layouts)
        unit = p.unit(mine, theirs.statement, "step", "update")
        block, outer, target = common_block(unit, theirs.statement)
        if outer is not unit:
            raise Infeasible("it is in a block of its own")
        last = p.last_of(unit, mine.layout, None, "update", "schedule")
        target = p.last_of(target, mine.layout, None, "clip", "unscale")
        draft = Draft(mine.layout)
        for statement in block.statements[unit.index : last.index + 1]:
            check_free(statement, target, including=True)
        for statement in block.statements[unit.index : last.index + 1]:
            draft.move_after(statement, target)
        return Plan(f"Move the step of {called(self.optimizer)} after the backward", "unsafe", [draft])


class InsertStep(Repair):
    """Insert a step after the backward and its clips, or before the clear or the scheduler that follows them; steps that are named and not called are called.

    Attributes:
        optimizer: the optimizer that never steps.
        backward: a backward into its gradients.
    """

    optimizer: Optimizer | Engine
    backward: Backward

    def plan(self, p: Planner) -> Plan:
        if self.optimizer in p.program.sources:
            raise Infeasible("the step belongs behind the place where its gradients are given to it")
        backward, clear = _cleared_around(p, self.optimizer, self.backward)
        place = place_at(backward, len(backward.calls), p.layouts)
        function = place.layout.function_of(place.statement)
        name = name_in(p.program, self.optimizer, place, p.layouts, (Clear, Construct))
        if name is None:
            raise Infeasible("the optimizer has no name where the backward is")
        draft = Draft(place.layout)
        uncalled = _steps_notcalled(p, place.layout, function)
        if f"{name}.step" in uncalled.values():
            for statement in uncalled:
                draft.insert(place.layout.extent(statement.node)[1], "()")
            return Plan(f"Call {', '.join(f'{code}()' for code in dict.fromkeys(uncalled.values()))}", "unsafe", [draft])
        if clear is not None:
            scheduled = next(
                (e for e in p.program.of(Schedule) if backward.index < e.index < clear.index and e.guards == clear.guards), clear
            )
            before = place_at(scheduled, len(scheduled.calls), p.layouts)
            if (
                before.layout is place.layout
                and before.layout.function_of(before.statement) is function
                and scheduled.loops == backward.loops
            ):
                draft.line_before(before.statement, f"{name}.step()")
                return Plan(f"Step {name} before its {'clear' if scheduled is clear else 'scheduler'}", "unsafe", [draft])
        draft.line_after(p.last_of(place.statement, place.layout, None, "clip", "unscale"), f"{name}.step()")
        return Plan(f"Step {name} after the backward", "unsafe", [draft])


def _steps_notcalled(p: Planner, layout: Layout, function: Statement | None) -> dict[Statement, str]:
    """The statements of a function that name the step of an optimizer and do not call it, with their texts."""
    names = {name_in_function(p.program, o, layout, function, p.layouts, (Clear, Construct)) for o in p.program.optimizers}
    steps = {f"{name}.step" for name in names}
    found = {s: layout.code(s.node) for s in layout.by_node.values() if isinstance(s.node, cst.Expr) and layout.function_of(s) is function}
    return {statement: code for statement, code in found.items() if code in steps}


def _cleared_around(p: Planner, optimizer: Obj, backward: Event) -> tuple[Event, Event | None]:
    """Of an optimizer's backwards the one that its step belongs to: the last one after its clear, before another optimizer's turn.

    Where the clear follows the backward, it is given too.
    """
    events = [e for e in p.program.of(Clear, Backward, Step) if e.root == backward.root and e.loops == backward.loops]
    clear = next((e for e in events if e.kind == "clear" and optimizer in e.subjects), None)
    if clear is None:
        return backward, None
    chosen = None
    for event in (e for e in events if e.index > clear.index):
        if event.kind != "backward":
            if optimizer not in event.subjects:
                break
        elif p.program.touches(event, optimizer):
            chosen = event
    return (chosen, None) if chosen is not None else (backward, clear if clear.index > backward.index else None)


class StepAtTheEnd(Repair):
    """Let the condition of an accumulating step hold on the last batch too.

    Attributes:
        step: the step under its condition.
        loop: the loop over batches.
    """

    step: Step
    loop: Loop

    def plan(self, p: Planner) -> Plan:
        place = in_loop(self.step, self.loop, p.layouts)
        given = re.fullmatch(r"enumerate\(([\w.]+)\)", self.loop.iterates)
        node = loop_statement(self.loop, p.layouts).node
        condition = next((s.node for s in place.statement.ancestors() if isinstance(s.node, cst.If)), None)
        if given is None or condition is None or not isinstance(node, cst.For) or not isinstance(node.target, cst.Tuple):
            raise Infeasible("the last batch cannot be distinguished from the others here")
        number = place.layout.code(node.target.elements[0].value)
        draft = Draft(place.layout)
        draft.insert(place.layout.extent(condition.test)[1], f" or {number} + 1 == len({given[1]})")
        return Plan("Step on the last batch too", "unsafe", [draft])
