"""Updates of which a function makes the end alone: others go backward, and it clips, steps through the scaler and updates that."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Engine, Optimizer, Scaler
from looplint.flow.automaton import UNSEEN, Visit
from looplint.flow.events import Backward, Clip, Construct, Escape, Step, Unscale
from looplint.queries.precision import SCALING, disabled, perhaps_off, scaler_of, switched
from looplint.queries.program import Program
from looplint.queries.relations import involved, stands_under


def clipped_before_the_scaler(program: Program, optimizer: Optimizer | Engine) -> Iterator[tuple[Clip, Step, Scaler]]:
    """The clips of gradients that only the step behind them unscales, in functions that no backward is called in: that step would be wrong for others."""
    if optimizer.symbolic or program.of(Unscale):
        return  # whoever calls such a function may unscale before
    if any(scaler_of(backward) is None for backward in program.of(Backward)):
        return  # the gradients may be those of a loss that nothing has scaled
    seen = set()
    for visit in program.run(SCALING, optimizer, only_with=Clip):
        clip = visit.event
        if (
            isinstance(clip, Clip)
            and not clip.scaled
            and clip.root not in seen
            and _is_the_first(visit)
            and (step := _step_behind(program, clip, optimizer))
        ):
            seen.add(clip.root)
            yield clip, step[0], step[1]


def _is_the_first(visit: Visit) -> bool:
    """Whether a clip is the first that a function does with the gradients of an optimizer, whoever has made them."""
    return visit.certain and bool(visit.states) and all(s.state == UNSEEN and not s.trail for s in visit.states)


def _step_behind(program: Program, clip: Clip, optimizer: Optimizer | Engine) -> tuple[Step, Scaler] | None:
    """The step of an optimizer that always follows a clip, where that is one through a scaler which the program builds to work and gives to nobody."""
    steps = [e for e in program.of(Step) if e.root == clip.root and optimizer in e.subjects]
    if len(steps) != 1 or not steps[0].certain or steps[0].index < clip.index or steps[0].loops != clip.loops:
        return None
    step, scaler = steps[0], steps[0].scaler
    if scaler is None or scaler.symbolic or scaler.many or disabled(scaler) or not stands_under(clip, step.guards):
        return None
    if switched(program, clip, scaler) or perhaps_off(program, clip, scaler):
        return None
    built = any(scaler in e.subjects for e in program.of(Construct))
    lost = any(scaler in involved(e) for e in program.of(Escape))
    return (step, scaler) if built and not lost else None
