"""Steps that find nothing though a backward stands right before them: it fills the parameters of a model that no optimizer steps on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from looplint.domain.call_string import CallString
from looplint.domain.objects import Engine, Module, Obj, Optimizer
from looplint.flow.events import Backward, Clear, Construct, Escape, Event, Step
from looplint.flow.graph import Loop
from looplint.queries.program import Program
from looplint.queries.relations import related, subjects


class Unheld(NamedTuple):
    """A backward between the clear and the step of an optimizer that was built on the parameters of another one."""

    backward: Backward
    # The module whose gradients it computes, and which no optimizer holds.
    module: Module
    # The optimizer that steps behind it, where that is built, and the other one that holds the same.
    optimizer: Optimizer
    construct: Construct
    twin: Optimizer


def stands_behind_its_own(program: Program, clear: Event | None, step: Event) -> bool:
    """Whether a backward stands between a clear and a step whose gradients no optimizer steps on: the step comes behind what it was written for."""
    return clear is not None and any(True for _ in _between(program, clear, step))


def unheld(program: Program) -> Iterator[Unheld]:
    """The backwards whose gradients are lost because the optimizer that steps behind them was built on the parameters of another: copied, and not changed."""
    if program.steps_unknown_objects or program.gradients.applied_unknown:
        return
    for step in program.of(Step):
        optimizer = next(iter(subjects(step, Optimizer)), None)
        if optimizer is None or not optimizer.uses_gradients or len(step.subjects) > 1 or not step.certain or step.closure:
            continue
        construct = _built(program, optimizer)
        twin = _twin(program, step, optimizer) if construct is not None else None
        clears = [e for e in program.of(Clear) if e.subjects == step.subjects and e.guards == step.guards and e.index < step.index]
        if construct is None or twin is None or not clears:
            continue
        for backward in _between(program, clears[-1], step):
            modules = subjects(backward, Module)
            if backward.known and backward.certain and backward.guards == step.guards and len(modules) == len(backward.subjects) == 1:
                (module,) = modules
                if not _may_be_stepped(program, module):
                    yield Unheld(backward, module, optimizer, construct, twin)


def may_apply_gradients(program: Program, optimizer: Optimizer | Engine, backward: Backward, cleared: Event | None) -> bool:
    """Whether the program itself may apply an optimizer's gradients that a backward in a loop computes.

    Where a clear drops them in each turn, what another function does that is called before or behind the loop gets none of them.
    """
    found = [context for obj, context in program.gradients.applied_at if not optimizer.holds or related({obj}, optimizer.holds)]
    loop = backward.loops[-1]
    return bool(found) and not (cleared is not None and loop.repeats and all(_is_called_apart(context, loop) for context in found))


def _is_called_apart(context: CallString, loop: Loop) -> bool:
    """Whether what runs in a context is called by the code that leads to a loop, and not by the function that the loop is in."""
    *_, root = loop.frame.outward()
    around = [*context.outward()]
    return around[-1] is root and loop.frame not in around


def _between(program: Program, clear: Event, step: Event) -> Iterator[Backward]:
    """The backwards between a clear and a step, in their loop, whose gradients no optimizer that steps has."""
    stepping = {o for e in program.of(Step) for o in e.subjects}
    for event in program.of(Backward):
        here = clear.index < event.index < step.index and event.loops == step.loops == clear.loops
        of_modules = bool(subjects(event, Module)) and not (event.manual or event.of_inputs or event.cut_off)
        if here and of_modules and not any(program.touches(event, o) for o in stepping):
            yield event


def _built(program: Program, optimizer: Optimizer) -> Construct | None:
    """Where an optimizer is built on all parameters of what it holds, for itself alone."""
    if not optimizer.exact or not optimizer.holds or optimizer.many or optimizer.escaped or any(h.symbolic for h in optimizer.holds):
        return None
    return next((e for e in program.of(Construct) if e.subjects == {optimizer} and not e.guards), None)


def _twin(program: Program, step: Step, optimizer: Optimizer) -> Optimizer | None:
    """Another optimizer of the very same modules that steps in the same loop, whatever the run."""
    alike = [o for o in program.optimizers if isinstance(o, Optimizer) and o is not optimizer and o.holds == optimizer.holds]
    steps = [e for e in program.of(Step) if e.certain and len(e.subjects) == 1 and not e.subjects.isdisjoint(alike)] if alike else []
    beside = {o for e in steps if e.loops == step.loops and e.guards == step.guards for o in e.subjects}
    return next((o for o in alike if o in beside and _built(program, o) is not None), None)


def _may_be_stepped(program: Program, module: Obj) -> bool:
    """Whether anything but the optimizers in sight may apply the gradients of a module: the program by hand, or code that gets it."""
    by_hand = related(program.gradients.applied, {module})
    return by_hand or module.symbolic or module.escaped or any(not e.output and program.touches(e, module) for e in program.of(Escape))
