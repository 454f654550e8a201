"""Phases of a loop that train several models in turn, as a generator and its critic: whose backward fills whose gradients."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.dataclass import dataclass
from looplint.domain.objects import Optimizer
from looplint.flow.automaton import Automaton, Touch, Visit, run
from looplint.flow.events import Backward, Clear, Construct, Copy, Escape, Event, Step
from looplint.flow.graph import Loop
from looplint.queries.program import Program
from looplint.queries.relations import related

# Gradients that some backward left since the last clear; of code that cannot be followed nothing is known.
_LEFT = Automaton(start="clean", arrows={("*", "clear"): "clean", ("*", "backward"): "left", ("*", "step"): "used"})
# Whether a step came after a backward.
_CLOSED = Automaton(start="open", arrows={("*", "backward"): "open", ("open", "step"): "closed"})


@dataclass(frozen=True, slots=True)
class ForeignGradients:
    """A step that uses, beside gradients of its own phase, what the backward of another phase has left; that phase ended with the other's step."""

    step: Step
    foreign: Backward
    other: Optimizer
    closing: Step
    own: tuple[Backward, ...]
    loop: Loop


def foreign_gradients(program: Program, optimizer: Optimizer) -> ForeignGradients | None:
    """The first step of an optimizer that always applies gradients which the loss of another optimizer's phase sent through its modules."""
    if optimizer.symbolic or optimizer.many or optimizer.may_clear or not optimizer.holds:
        return None
    steps = [e for e in program.of(Step) if optimizer in e.subjects and e.loops]
    loops = {e.loops[-1] for e in steps}
    beside = {o for e in program.of(Step) if e.loops and e.loops[-1] in loops for o in e.subjects}
    rivals = [
        o for o in program.optimizers if o in beside and o is not optimizer and isinstance(o, Optimizer) and o.holds and not o.symbolic
    ]
    if not rivals:
        return None
    filling = [e for e in program.of(Backward) if not e.manual and program.touches(e, optimizer) == "must"]
    for other in rivals:
        if related(other.holds, optimizer.holds):
            continue
        closings = [e for e in program.of(Step) if other in e.subjects and e.loops]
        foreign = [e for e in filling if _passes_through(program, e, optimizer, other) and _is_followed_by(e, closings, steps)]
        own = [e for e in filling if e not in foreign]
        if any(related(e.subjects, other.holds) for e in own):
            continue  # its own loss reaches the other's modules too: the two may train on each other's losses on purpose
        for step in steps:
            loop = step.loops[-1]
            left = [e for e in foreign if e.loops[-1:] == (loop,)]
            mine = [e for e in own if e.loops[-1:] == (loop,)]
            if not left or not mine or not step.certain:
                continue
            clears = [e for e in program.of(Clear, Construct, Copy, Escape) if program.touches(e, optimizer)]
            if (
                _always(_at(program, _LEFT, step, [*clears, *left, *steps]), loop, "left")
                and _always(_at(program, _LEFT, step, [*clears, *mine, *steps]), loop, "left")
                and _always(_at(program, _CLOSED, step, [*left, *closings]), loop, "closed")
            ):
                closing = next(e for e in closings if e.loops[-1:] == (loop,))
                return ForeignGradients(step, left[0], other, closing, tuple(mine), loop)
    return None


def _passes_through(program: Program, backward: Backward, optimizer: Optimizer, other: Optimizer) -> bool:
    """Whether a loss goes backward through an optimizer's modules on its way to another's, which made their input."""
    for forward in program.forwards_of(backward.forwards):
        inputs = forward.inputs
        if forward.frozen or inputs is None or inputs.graph != "yes" or not related(forward.subjects, optimizer.holds):
            continue
        if related(inputs.sources, other.holds):
            return True
    return False


def _is_followed_by(backward: Backward, closings: list[Step], steps: list[Step]) -> bool:
    """Whether the first step after a backward in its loop is the other optimizer's."""
    loop = backward.loops[-1:]
    after = sorted((e for e in (*closings, *steps) if e.loops[-1:] == loop and e.index > backward.index), key=lambda e: e.index)
    return bool(loop) and bool(after) and after[0] in closings and after[0] not in steps


def _at(program: Program, automaton: Automaton, step: Step, events: Iterable[Event]) -> Visit | None:
    """The states in which an automaton over some events finds a step."""
    relevant: dict[int, Touch] = {e.index: "must" if e.certain or isinstance(e, Copy | Escape) else "may" for e in (*events, step)}
    return next((v for v in run(program.slices, automaton, relevant) if v.event is step), None)


def _always(visit: Visit | None, loop: Loop, state: str) -> bool:
    """Whether a step is always in a state, at least from the loop's second iteration on."""
    found = visit.steady(loop) if visit is not None else []
    return bool(found) and all(s.state == state for s in found)
