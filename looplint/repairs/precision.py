"""Repairs of mixed precision: what the scaler has to do, at the place where it belongs."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from looplint.domain.objects import Obj, Optimizer
from looplint.flow.automaton import UNSEEN
from looplint.flow.events import Backward, Clear, Clip, Construct, Event, Step, Unscale, Update
from looplint.queries.precision import SCALING
from looplint.queries.relations import exclude_each_other, involved, related, stands_under
from looplint.regex import regex
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.places import Place, meet, name_in, name_in_function, place_at, receiver
from looplint.repairs.planner import Planner, check_free, common_block
from looplint.repairs.repair import Plan, Repair
from looplint.syntax.site import Site

__all__ = ["InsertUnscale", "InsertUpdate", "StepThroughScaler", "UseBfloat16", "UseTorchAmp"]

_IMPORT = regex(r"^import torch(?:[ \t]+as[ \t]+(\w+))?[ \t]*(?:#.*)?$", re.MULTILINE)


class InsertUnscale(Repair):
    """Unscale gradients just before a clip, under its conditions; an unscale after it moves up.

    A second `unscale_` in one iteration raises an error: where several clips can run in one, there is one before all of them.

    Attributes:
        clip: the clip.
        backward: the backward of the scaled loss.
        scaler: what scales it.
        optimizer: whose gradients are clipped.
    """

    clip: Event
    backward: Event
    scaler: Obj
    optimizer: Obj

    def plan(self, p: Planner) -> Plan:
        place, _ = meet(self.clip, self.backward, p.layouts)
        draft = Draft(place.layout)
        name = _unscale_before(p, draft, [(self.clip, self.backward)], self.scaler, self.optimizer)
        return Plan(f"Unscale the gradients of {name} before the clip", "safe", [draft])


def _unscale_before(p: Planner, draft: Draft, clips: Sequence[tuple[Event, Event]], scaler: Obj, optimizer: Obj) -> str:
    """Unscale the gradients of an optimizer before clips, each given with the backward before it; an unscale after them moves up."""
    late = next((e for e in p.program.of(Unscale) if p.program.touches(e, optimizer)), None)
    if late is not None:
        _bring_up(p, draft, late, clips[0][0])
        return optimizer.name or "the optimizer"
    names: list[str] = []
    done: list[Statement] = []
    for clip, backward in clips:
        place, _ = meet(clip, backward, p.layouts)
        if place.layout is not draft.layout:
            raise Infeasible("the clip is in another file")
        scaler_name = scaler_in(p, scaler, place)
        optimizer_name = name_in(p.program, optimizer, place, p.layouts, (Step, Clear, Construct))
        if scaler_name is None or optimizer_name is None:
            raise Infeasible("the scaler or the optimizer has no name where the clip is")
        target = _before_all_clips(p, clip, backward, optimizer, place.statement)
        if any(isinstance(s.node, cst.For | cst.While) and s not in _loops_around(p, backward) for s in target.ancestors()):
            raise Infeasible("the clip is in a loop of its own")
        if target not in done:
            draft.line_before(target, f"{scaler_name}.unscale_({optimizer_name})")
            done.append(target)
            names.append(optimizer_name)
    return names[0]


def _before_all_clips(p: Planner, clip: Event, backward: Event, optimizer: Obj, target: Statement) -> Statement:
    """The first of the statements that hold the clips of these gradients in one turn, in the innermost block that holds them all."""
    for other in p.program.of(Clip):
        if other is clip or other.loops != clip.loops or other.index < backward.index:
            continue
        if p.program.touches(other, optimizer) and not exclude_each_other(other, clip):
            _, here, there = common_block(target, meet(other, backward, p.layouts)[0].statement)
            target = min(here, there, key=lambda statement: statement.index)
    return target


def _bring_up(p: Planner, draft: Draft, unscale: Event, clip: Event) -> None:
    mine, theirs = meet(unscale, clip, p.layouts)
    unit = p.unit(mine, theirs.statement, "unscale")
    _, outer, target = common_block(unit, theirs.statement)
    if outer is not unit or unit.index < target.index:
        raise Infeasible("the gradients are unscaled elsewhere, under a condition")
    check_free(unit, target)
    if mine.layout is not draft.layout:
        raise Infeasible("the gradients are unscaled in another file")
    draft.move_before(unit, target)


class InsertUpdate(Repair):
    """Update a scaler after the last of its steps in an iteration; all of them have to stand in one block.

    Attributes:
        scaler: the scaler.
        steps: its steps in one turn of their loop, in the order of the graph.
    """

    scaler: Obj
    steps: Sequence[Event]

    def plan(self, p: Planner) -> Plan:
        last = (
            place_at(self.steps[-1], len(self.steps[-1].calls), p.layouts)
            if len(self.steps) == 1
            else meet(self.steps[-1], self.steps[-2], p.layouts)[0]
        )
        if any(meet(step, self.steps[-1], p.layouts)[0].statement.block is not last.statement.block for step in self.steps[:-1]):
            raise Infeasible("the scaler steps in more than one place")
        name = scaler_in(p, self.scaler, last)
        if name is None:
            raise Infeasible("the scaler has no name where it steps")
        draft = Draft(last.layout)
        draft.line_after(last.statement, f"{name}.update()")
        return Plan(f"Update {name} after its step", "safe", [draft])


def _loops_around(p: Planner, event: Event) -> list[object]:
    return [p.layouts.of(loop.site.module).by_node.get(loop.site.node) for loop in event.loops]


def scaler_in(p: Planner, scaler: Obj, place: Place) -> str | None:
    """How the function of a place names a scaler, read off the calls it makes on it; an attribute of `self`, off those of its class."""
    layout = place.layout
    function = layout.function_of(place.statement)
    inherited = None
    for event in p.program.of(Backward, Step, Unscale, Update):
        node = _on_scaler(event, scaler)
        statement = layout.statement_of(event.site.node) if node is not None and event.site.module is layout.info else None
        if node is None or statement is None:
            continue
        other, text = layout.function_of(statement), layout.code(node)
        if other is function:
            return text
        if text.startswith("self.") and other is not None and function is not None and other.block is function.block:
            inherited = text
    return inherited or name_in_function(p.program, scaler, layout, function, p.layouts, (Construct,))


def _on_scaler(event: Event, scaler: Obj) -> cst.BaseExpression | None:
    """The expression on which an event's call finds a scaler's method: `scaler` of `scaler.scale(loss).backward()` and of `scaler.step(opt)`."""
    call = event.site.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    if not isinstance(event, Backward):
        return call.func.value if scaler in involved(event) else None
    inner = call.func.value
    if (
        scaler in event.scalers
        and isinstance(inner, cst.Call)
        and isinstance(inner.func, cst.Attribute)
        and inner.func.attr.value == "scale"
    ):
        return inner.func.value
    return None


class StepThroughScaler(Repair):
    """Step an optimizer through its scaler; where nothing updates that, the update follows, and clips before it find unscaled gradients.

    Attributes:
        step: the step that bypasses the scaler.
        scaler: the scaler.
        optimizer: the optimizer that steps.
    """

    step: Event
    scaler: Obj
    optimizer: Obj

    def plan(self, p: Planner) -> Plan:
        place = place_at(self.step, len(self.step.calls), p.layouts)
        name, call = scaler_in(p, self.scaler, place), self.step.site.node
        own = receiver(self.step, self.optimizer, p.layouts)
        if name is None or own is None or not isinstance(call, cst.Call) or call.args:
            raise Infeasible("the scaler or the optimizer has no name where the optimizer steps")
        draft = Draft(place.layout)
        if clips := self._scaled_clips(p):
            _unscale_before(p, draft, clips, self.scaler, self.optimizer)
        draft.replace(call, f"{name}.step({own})")
        if not any(self.scaler in event.subjects for event in p.program.of(Update)):
            draft.line_after(place.statement, f"{name}.update()")
        return Plan(f"Step {own} through {name}", "unsafe" if self._reads_others(p) else "safe", [draft])

    def _reads_others(self, p: Planner) -> bool:
        """Whether the program reads gradients of what the optimizer does not hold: these the scaler leaves as they are, and the run goes on."""
        access = p.program.gradients
        others = any(not related(self.optimizer.holds, {obj}) for obj in access.read) if isinstance(self.optimizer, Optimizer) else False
        return others or access.read_unknown or bool(access.read_of_tensors)

    def _scaled_clips(self, p: Planner) -> list[tuple[Event, Event]]:
        """The clips that find the gradients of this step still scaled, each with the backward before it.

        The step through the scaler would divide what the limit leaves of them by the scale. A clip that only may be of these gradients is one
        too: to unscale them before it does no harm.
        """
        visits = p.program.run(SCALING, self.optimizer, only_with=Clip)
        backwards = {state.last(Backward) for visit in visits if visit.event is self.step for state in visit.states}
        found: list[tuple[Event, Event]] = []
        for visit in visits:
            clip = visit.event
            ways = visit.sometimes("scaled", "mixed", UNSEEN) if isinstance(clip, Clip) and clip.root == self.step.root else []
            before = [way.last(Backward) for way in ways if way.last(Backward) in backwards]
            if not before:
                continue  # gradients of another step
            backward = before[0]
            if backward is None:
                raise Infeasible("gradients are clipped that may be scaled")
            if clip.loops != self.step.loops or not stands_under(clip, self.step.guards):
                raise Infeasible("scaled gradients are clipped in turns in which the optimizer does not step")
            found.append((clip, backward))
        return found


class UseBfloat16(Repair):
    """Compute in bfloat16 under an autocast, which needs no scaler.

    Attributes:
        site: where the autocast is entered.
    """

    site: Site

    def plan(self, p: Planner) -> Plan:
        layout, call = p.layouts.of(self.site.module), self.site.node
        if not isinstance(call, cst.Call) or any(a.star for a in call.args):
            raise Infeasible("the autocast is not called where it is entered")
        draft = Draft(layout)
        given = next((a for a in call.args if a.keyword is not None and a.keyword.value == "dtype"), None)
        positional = [a for a in call.args if a.keyword is None]
        given = given or (positional[1] if len(positional) > 1 else None)
        torch = _torch_in(layout)
        if given is not None:
            draft.replace(given.value, f"{torch}.bfloat16")
        elif call.args:
            draft.insert(layout.extent(call.args[-1].value)[1], f", dtype={torch}.bfloat16")
        else:
            draft.insert(layout.extent(call)[1] - 1, f"dtype={torch}.bfloat16")
        return Plan("Compute in bfloat16, which needs no scaler", "unsafe", [draft])


def _torch_in(layout: Layout) -> str:
    """How the file names torch."""
    found = _IMPORT.search(layout.text)
    if found is None:
        raise Infeasible("torch itself has no name in this file")
    return found[1] or "torch"


class UseTorchAmp(Repair):
    """Use a name of `torch.amp` in place of one of `torch.cuda.amp`, with the device as its first argument.

    Attributes:
        event: the call.
        device: the device that the old name is for.
        name: the name in `torch.amp`.
    """

    event: Event
    device: str
    name: str

    def plan(self, p: Planner) -> Plan:
        layout, call = p.layouts.of(self.event.site.module), self.event.site.node
        if not isinstance(call, cst.Call) or any(a.star for a in call.args):
            raise Infeasible("its arguments are not written out")
        draft = Draft(layout)
        draft.replace(call.func, f"{_torch_in(layout)}.amp.{self.name}")
        start = layout.extent(call.args[0].keyword or call.args[0].value)[0] if call.args else layout.extent(call)[1] - 1
        draft.insert(start, f'"{self.device}"{", " if call.args else ""}')
        if self.name == "autocast":
            for given, word in zip((a for a in call.args if a.keyword is None), ("enabled", "dtype", "cache_enabled"), strict=False):
                draft.insert(layout.extent(given.value)[0], f"{word}=")
        return Plan(f"Use torch.amp.{self.name}", "safe", [draft])
