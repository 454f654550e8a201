"""Repairs of the gradient cycle: clears, clips, steps and what scales the loss."""

from __future__ import annotations

import re

import libcst as cst

from looplint.domain.objects import Engine, Obj, Optimizer
from looplint.finding import Applicability
from looplint.flow.events import Backward, Clear, Clip, Construct, Event, Forward, Step, Unscale
from looplint.flow.graph import Loop
from looplint.queries.relations import related
from looplint.repairs.draft import Draft, Infeasible, first_place
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import sets
from looplint.repairs.places import Place, in_loop, loop_statement, meet, name_in, place_at, receiver
from looplint.repairs.planner import Planner, check_free, common_block, highest
from looplint.repairs.repair import Plan, Repair


class MoveClear(Repair):
    """Move a clear to the top of the batch body, behind the step of another optimizer that stands above.

    Where it stands in a function that also steps and does not run the backward, or where gradients of several batches add up to a step, it
    goes behind the step.

    Attributes:
        optimizer: whose gradients are cleared.
        clear: the clear that comes too late.
        backward: the backward whose gradients it clears.
        step: the step that lacks them.
    """

    optimizer: Optimizer | Engine
    clear: Clear
    backward: Backward
    step: Step

    def plan(self, p: Planner) -> Plan:
        backward = self.backward
        if backward.manual:  # gradients that are changed by hand were filled before
            backward = next((e for e in _backwards(p, self.optimizer, self.clear) if not e.manual), backward)
        mine, theirs = meet(self.clear, backward, p.layouts)
        others = [e for e in p.program.of(Step) if self.optimizer not in e.subjects and backward.index < e.index < self.clear.index]
        holds = self.optimizer.holds
        if others and any(related(holds, e.subjects) for e in p.program.of(Forward) if self.clear.index < e.index < self.step.index):
            raise Infeasible(
                "another optimizer has used those gradients, and a loss of its own is computed behind the clear: its backward may be missing"
            )
        with_step = not mine.direct and p.does(mine.statement, mine.layout, self.optimizer, "step")
        if with_step or _accumulates(p, backward, self.step):
            return _clear_behind_step(p, self.optimizer, self.clear, self.step)
        unit = p.unit(mine, theirs.statement, "clear")
        block, outer, backwards = common_block(unit, theirs.statement)
        if outer is not unit:
            check_free(unit, backwards)
        index = highest(unit, block, outer.index, _top(p, self.optimizer, backwards, mine))
        if index > backwards.index:
            raise Infeasible("it uses names that are set behind the backward")
        draft = Draft(mine.layout)
        first, docstring = first_place(block)
        target = block.statements[index]
        if target is unit:
            raise Infeasible("it already stands above the backward")
        if target is first and docstring:
            draft.move_after(unit, first)
        else:
            draft.move_before(unit, target)
        # Where another optimizer has stepped on these gradients, they may be its own.
        return Plan(f"Move the clear of {_called(self.optimizer)} before the forward pass", "unsafe" if others else "safe", [draft])


def _backwards(p: Planner, optimizer: Obj, before: Event) -> list[Backward]:
    """The backwards into an optimizer's gradients that come before an event, the last one first."""
    return [e for e in reversed(p.program.of(Backward)) if e.index < before.index and p.program.touches(e, optimizer)]


def _accumulates(p: Planner, backward: Event, step: Event) -> bool:
    """Whether the step is made on some turns only of the loop that runs the backward."""
    loop = backward.loops[-1] if backward.loops else None
    return (
        loop is not None and loop in step.loops and p.program.every_iteration(backward, loop) and not p.program.every_iteration(step, loop)
    )


def _clear_behind_step(p: Planner, optimizer: Obj, clear: Event, step: Event) -> Plan:
    mine, theirs = meet(clear, step, p.layouts)
    target = p.last_of(p.alternatives(theirs, optimizer, "step"), theirs.layout, None, "update")
    unit = p.unit(mine, target, "clear")
    check_free(unit, target, including=True)
    draft = Draft(mine.layout)
    draft.move_after(unit, target)
    # What another loss leaves behind the step would be there at the next backward.
    left = [e for e in p.program.of(Backward) if e.index > step.index and e.loops[:1] == step.loops[:1] and p.program.touches(e, optimizer)]
    return Plan(f"Move the clear of {_called(optimizer)} behind its step", "unsafe" if left else "safe", [draft])


def _top(p: Planner, optimizer: Obj, backward: Statement, place: Place) -> int:
    """The index in the backward's block behind the last step of another optimizer above it."""
    for index in range(backward.index - 1, -1, -1):
        statement = backward.block.statements[index]
        events = [e for e in p.events_in(statement, place.layout) if e.kind == "step"]
        if any(optimizer not in e.subjects for e in events):
            return index + 1
    return 0


class InsertClear(Repair):
    """Insert a clear at the top of the batch body; behind the step where that does not run for every batch, or is elsewhere.

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
        ):
            block, _, target = common_block(steps.statement, backwards.statement)
            index = _top(p, self.optimizer, target, steps)
            base = name.partition(".")[0].partition("[")[0]
            for number in range(target.index - 1, index - 1, -1):
                if {base, name} & sets(block.statements[number].node):
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
        mine, theirs = meet(self.clip, self.step, p.layouts)
        if not theirs.direct and p.does(theirs.statement, theirs.layout, self.optimizer, "backward"):
            raise Infeasible("the step is made by a function that also runs the backward")
        target = p.alternatives(theirs, self.optimizer, "step")
        unit = p.unit(mine, target, "clip", "unscale")
        check_free(unit, target)
        draft = Draft(mine.layout)
        if self.step.scaler is not None:
            _unscale(p, draft, mine, theirs, target, self.optimizer, self.step)
        draft.move_before(unit, target)
        return Plan(f"Move the clip to just before the step of {_called(self.optimizer)}", "safe", [draft])


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
    """Move a step, with what follows it, behind the backward and its clips.

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
            raise Infeasible("it stands in a block of its own")
        last = p.last_of(unit, mine.layout, None, "update", "schedule")
        target = p.last_of(target, mine.layout, None, "clip", "unscale")
        draft = Draft(mine.layout)
        for statement in block.statements[unit.index : last.index + 1]:
            check_free(statement, target, including=True)
        for statement in block.statements[unit.index : last.index + 1]:
            draft.move_after(statement, target)
        return Plan(f"Move the step of {_called(self.optimizer)} behind the backward", "unsafe", [draft])


class InsertStep(Repair):
    """Insert a step behind the backward and its clips, or before the clear that follows them; steps that are named and not called are called.

    Attributes:
        optimizer: the optimizer that never steps.
        backward: a backward into its gradients.
    """

    optimizer: Optimizer | Engine
    backward: Backward

    def plan(self, p: Planner) -> Plan:
        backward, clear = _cleared_around(p, self.optimizer, self.backward)
        place = place_at(backward, len(backward.calls), p.layouts)
        function = place.layout.function_of(place.statement)
        name = name_in(p.program, self.optimizer, place.layout.info, function, p.layouts, (Clear, Construct))
        if name is None:
            raise Infeasible("the optimizer has no name where the backward is")
        draft = Draft(place.layout)
        uncalled = _steps_not_called(p, place.layout, function)
        if f"{name}.step" in uncalled.values():
            for statement in uncalled:
                draft.insert(place.layout.extent(statement.node)[1], "()")
            return Plan(f"Call {', '.join(f'{code}()' for code in dict.fromkeys(uncalled.values()))}", "unsafe", [draft])
        if clear is not None:
            before = place_at(clear, len(clear.calls), p.layouts)
            if before.layout is place.layout and before.layout.function_of(before.statement) is function and clear.loops == backward.loops:
                draft.line_before(before.statement, f"{name}.step()")
                return Plan(f"Step {name} before its clear", "unsafe", [draft])
        draft.line_after(p.last_of(place.statement, place.layout, None, "clip", "unscale"), f"{name}.step()")
        return Plan(f"Step {name} behind the backward", "unsafe", [draft])


def _steps_not_called(p: Planner, layout: Layout, function: Statement | None) -> dict[Statement, str]:
    """The statements of a function that name the step of an optimizer and do not call it, with their texts."""
    names = {name_in(p.program, o, layout.info, function, p.layouts, (Clear, Construct)) for o in p.program.optimizers}
    steps = {f"{name}.step" for name in names}
    found = {s: layout.code(s.node) for s in layout.by_node.values() if isinstance(s.node, cst.Expr) and layout.function_of(s) is function}
    return {statement: code for statement, code in found.items() if code in steps}


def _cleared_around(p: Planner, optimizer: Obj, backward: Event) -> tuple[Event, Event | None]:
    """Of an optimizer's backwards the one that its step belongs to: the last one behind its clear, before another optimizer's turn.

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


class DivideLoss(Repair):
    """Divide the loss where it goes backward; what is logged of it stays as it is.

    Attributes:
        backward: the backward of the loss.
        every: by what it is divided, as the code writes it.
        step: the step that is made once in so many batches.
    """

    backward: Backward
    every: str
    step: Step

    def plan(self, p: Planner) -> Plan:
        place, guarded = meet(self.backward, self.step, p.layouts)
        node = self.backward.site.node
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            raise Infeasible("its loss cannot be found in the text")
        if (
            not (place.direct and guarded.direct)
            and not (self.every.startswith("self.") and _same_class(p, self.backward, self.step))
            and not self.every.isdigit()
        ):
            raise Infeasible(f"{self.every} is not known where the backward is")
        layout = p.layouts.of(self.backward.site.module)
        draft = Draft(layout)
        factor = self.every if self.every.replace(".", "").replace("_", "").isalnum() else f"({self.every})"
        loss: cst.BaseExpression = node.func.value
        outside = node.func.attr.value != "backward" or bool(node.args and node.args[0].keyword is None)
        if outside and node.args:  # accelerator.backward(loss), torch.autograd.backward(loss)
            draft.replace(node.args[0].value, f"{_operand(layout.code(node.args[0].value), node.args[0].value)} / {factor}")
        elif isinstance(loss, cst.Call) and isinstance(loss.func, cst.Attribute) and loss.func.attr.value == "scale" and loss.args:
            inner = loss.args[0].value
            draft.replace(inner, f"{_operand(layout.code(inner), inner)} / {factor}")
        elif loss.lpar:
            draft.replace(loss, f"({layout.code(loss)}) / {factor}")
        else:
            draft.replace(loss, f"({layout.code(loss)} / {factor})")
        return Plan(f"Divide the loss by {self.every}", "unsafe", [draft])


def _same_class(p: Planner, one: Event, two: Event) -> bool:
    """Whether two events stand in methods of one class."""
    places = [place_at(e, len(e.calls), p.layouts) for e in (one, two)]
    functions = [place.layout.function_of(place.statement) for place in places]
    classes = {f.block.owner for f in functions if f is not None}
    return None not in functions and None not in classes and len(classes) == 1


def _operand(code: str, node: cst.BaseExpression) -> str:
    return code if isinstance(node, cst.Name | cst.Attribute | cst.Call | cst.Subscript) or node.lpar else f"({code})"


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
        return Plan(f"Clear {name} instead of {_called(self.other)}", "unsafe", [draft])


class DropArgument(Repair):
    """Remove an argument that is given by its name, or as the last one at its position.

    Attributes:
        event: the call.
        keyword: the name of the argument.
        position: its position, counted from 0.
    """

    event: Event
    keyword: str
    position: int

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.event, len(self.event.calls), p.layouts)
        node = self.event.site.node
        if not isinstance(node, cst.Call):
            raise Infeasible("the argument cannot be found")
        index = next((n for n, a in enumerate(node.args) if a.keyword is not None and a.keyword.value == self.keyword), None)
        if index is None and len(node.args) == self.position + 1 and not any(a.star or a.keyword for a in node.args):
            index = self.position
        if index is None:
            raise Infeasible("the argument is not given by its name")
        draft = Draft(place.layout)
        draft.remove_argument(node, index)
        return Plan(f"Remove {self.keyword}", "unsafe", [draft])


class DropSetting(Repair):
    """Remove an argument without which the results are the same.

    Attributes:
        event: the call.
        keyword: the name of the argument.
    """

    event: Event
    keyword: str

    def plan(self, p: Planner) -> Plan:
        made = DropArgument(event=self.event, keyword=self.keyword, position=0).plan(p)
        return Plan(made.message, "safe", made.drafts)


def _called(obj: Obj) -> str:
    return obj.name or "the optimizer"


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
            raise Infeasible("the last batch cannot be told from the others here")
        number = place.layout.code(node.target.elements[0].value)
        draft = Draft(place.layout)
        draft.insert(place.layout.extent(condition.test)[1], f" or {number} + 1 == len({given[1]})")
        return Plan("Step on the last batch too", "unsafe", [draft])
