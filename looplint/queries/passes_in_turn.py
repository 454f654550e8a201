"""Passes that take turns in one loop, `for split in splits:`: one forward serves them all, and conditions on whose turn it is say which of them trains."""

from __future__ import annotations

from looplint.domain.objects import Obj
from looplint.flow.events import Backward, Event, Forward, Train
from looplint.flow.graph import Guard, Loop
from looplint.queries.program import Program
from looplint.queries.relations import rule_each_other_out


def validates_in_its_turn(program: Program, module: Obj, switch: Event, event: Forward) -> bool:
    """Whether a forward that is trained in the turns of one pass validates in those of another, for which its module is put into eval mode.

    A loop around both must come back to the pass that trains, with the same module, and nothing in it may put that back into train mode: which pass comes
    first is not known.
    """
    if len(switch.loops) < 2 or event.loops[: len(switch.loops)] != switch.loops or event.loops == switch.loops:
        return False
    passes, inner = switch.loops[-1], event.loops[len(switch.loops) :]
    told = [guard for guard in switch.guards if _tells_whose_turn(program, guard, passes, inner)]
    backwards = [e for e in program.of(Backward) if event.key in e.forwards]
    if not backwards or not all(rule_each_other_out(told, backward.guards) for backward in backwards):
        return False
    comes_back = any(loop.repeats and _outlives(module, loop) for loop in switch.loops[:-1])
    trains = (e for e in program.of(Train) if not set(e.loops).isdisjoint(switch.loops))
    return comes_back and not any(program.touches(e, module) for e in trains)


def _outlives(module: Obj, loop: Loop) -> bool:
    """Whether a module is certainly the same one in all turns of a loop: it is built before that, or handed in from outside."""
    wholes = [each for each in module.lineage() if each.parent is None]
    return all(loop not in each.loops if each.loops is not None else _is_handed_in(each) for each in wholes)


def _is_handed_in(module: Obj) -> bool:
    """Whether a module comes from the caller of the function that everything starts from, or lies in an object from there."""
    match module.key:
        case ("symbol", (int(), *_)):
            return module.symbolic
    return False


def _tells_whose_turn(program: Program, guard: Guard, passes: Loop, inner: tuple[Loop, ...]) -> bool:
    """Whether a condition may have another outcome in the next pass, and has one in all of a pass."""
    return guard.depth >= passes.depth and program.varies(guard, passes) and not any(program.varies(guard, loop) for loop in inner)
