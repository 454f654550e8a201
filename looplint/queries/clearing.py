"""When the gradients of an optimizer are cleared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import libcst as cst

from looplint.dataclass import dataclass
from looplint.domain.objects import Engine, Obj, Optimizer
from looplint.flow.automaton import Automaton, Visit
from looplint.flow.events import Backward, Clear, Construct, Copy, Escape, Replace, Step
from looplint.flow.graph import Loop
from looplint.queries.data_loops import over_data
from looplint.queries.naming import called_at, name_of
from looplint.queries.program import Program
from looplint.queries.relations import exclude_each_other, related
from looplint.regex import regex
from looplint.syntax.come_again import by_loop
from looplint.syntax.site import Site

_COUNTED_BY_A_NAME = regex(r"range\(([^\W\d][\w.]*)\)")

_WORD = regex(r"[^\W\d]\w*")
_COLLECTING = frozenset({"list", "tuple", "sorted", "nn.ModuleList"})

# A clear that no step came before starts nothing: "fresh" lasts until the first step.
CLEARING = Automaton(
    start="fresh",
    arrows={
        ("?", "clear"): "fresh",
        ("fresh", "clear"): "fresh",
        ("fresh-filled", "clear"): "fresh",
        ("*", "clear"): "empty",
        ("fresh", "backward"): "fresh-filled",
        ("empty", "backward"): "filled",
        ("applied", "backward"): "stale",
        ("*", "step"): "applied",
    },
)

# The same of a part of what an optimizer holds: a step that comes before its first gradients uses none.
_OF_A_PART = Automaton(start="fresh", arrows={**CLEARING.arrows, ("fresh", "step"): "fresh", ("empty", "step"): "empty"})


@dataclass(frozen=True, slots=True)
class Uncleared:
    """A backward that adds to gradients which a step has already used, in every iteration of a loop."""

    backward: Backward
    step: Step
    loop: Loop
    # Whether the optimizer is built anew in each turn: before that, there is none to clear with.
    rebuilt: bool = False


def to_clear(program: Program, step: Step, optimizer: Optimizer | Engine) -> list[str]:
    """What is to be cleared for a step, as the code calls it: the optimizer, and before it the model whose gradients it is given by hand."""
    source = program.sources.get(optimizer) if isinstance(optimizer, Optimizer) else None
    own = called_at(step, optimizer)
    return [own] if source is None else [name_of(source.module), own]


def uncleared(program: Program, optimizer: Optimizer | Engine) -> Uncleared | None:
    """A step of a loop that always uses gradients added to ones already applied; None where something clears them on some path."""
    if not isinstance(optimizer, Optimizer) or (optimizer.many and not _is_never_cleared(program, optimizer)):
        return None
    if optimizer.may_clear and not any(optimizer in e.subjects for e in program.of(Clear)):
        return None  # nothing tells that its step leaves the gradients
    return _uncleared(program, optimizer, None) or (
        _uncleared(program, optimizer, rebuilt) if (rebuilt := _rebuilt_in(program, optimizer)) else None
    )


def _uncleared(program: Program, optimizer: Optimizer, rebuilt: list[Loop] | None) -> Uncleared | None:
    """The same, with `rebuilt` in these loops alone, as if the optimizer was there before them: the gradients of a turn stay, whatever is built in the next."""
    taken_away = _taken_away(program, optimizer)
    past = [e for e in program.of(Construct) if optimizer in e.subjects] if rebuilt else []
    for visit in program.run(CLEARING, optimizer, only_with=Step, without=[*taken_away, *past]):
        step = visit.event
        if not isinstance(step, Step) or not (step.subjects == {optimizer} if optimizer.many else visit.certain):
            continue
        for loop in reversed(step.loops):
            if not _comes_again(program, optimizer, step, loop) or (rebuilt is not None and loop not in rebuilt):
                continue
            states = visit.steady(loop)
            stale = next((s for s in states if s.state == "stale"), None)
            if stale is None or (
                any(s.state in ("empty", "filled", "applied", "?") for s in states) and _cleared_in(program, loop, optimizer, taken_away)
            ):
                continue
            backward = stale.last(Backward) if isinstance(stale.since, Copy | Escape) else stale.since
            if (
                isinstance(backward, Backward)
                and loop in backward.loops
                and not backward.manual
                and _adds_up(program, optimizer, backward, visit, loop)
            ):
                return Uncleared(backward, step, loop, rebuilt=bool(rebuilt))
    return None


def _rebuilt_in(program: Program, optimizer: Optimizer) -> list[Loop]:
    """The loops in each turn of which an optimizer is built anew on a model that outlives the turn, and that nothing clears: gradients stay on the parameters.

    Of the models of a list, one a turn, the same ones come again with the next turn of the loop around.
    """
    built = optimizer.loops or ()
    if not built or optimizer.many or optimizer.symbolic or not optimizer.exact or not optimizer.holds:
        return []
    around = [optimizer, *optimizer.holds]
    if any(isinstance(o, Optimizer) and o is not optimizer and related(o.holds, optimizer.holds) for o in program.optimizers):
        return []
    if any(program.touches(e, o) for e in program.of(Clear, Copy, Escape, Replace) for o in around):
        return []
    made = [e for e in program.of(Construct) if optimizer in e.subjects]
    return [loop for number, loop in enumerate(built) if all(_outlives(held, made, built[number:]) for held in optimizer.holds)]


def _outlives(held: Obj, made: list[Construct], loops: Sequence[Loop]) -> bool:
    """Whether the model that an optimizer is built on in each turn of a loop is there before the loop begins, as its text tells where that is not known.

    Args:
        held: the model.
        made: where the optimizer is built.
        loops: the loop, and those within it that are around that place.
    """
    loop, *within = loops
    if held.loops is not None and not held.many:
        return loop not in held.loops
    if len(made) != 1 or len(made[0].chain) != 1 or len(within) != held.many:
        return False
    names = _names(made[0].site.node)
    for inner in within:
        made_by_calls = inner.function.made if inner.function is not None else ()
        if any(name == inner.iterates and callee not in _COLLECTING for callee, name in made_by_calls):
            return False  # what may be an iterator, which gives each of its items once
        names = names - inner.targets | set(_WORD.findall(inner.iterates))
    return names.isdisjoint(word for path in loop.assigned for word in _WORD.findall(path) if word != "self")


def _names(node: cst.CSTNode) -> set[str]:
    return ({node.value} if isinstance(node, cst.Name) else set()).union(*map(_names, node.children))


def _is_never_cleared(program: Program, optimizer: Optimizer) -> bool:
    """Whether nothing in sight clears the gradients of any of several optimizers, and no other code gets at them: then it does not matter which one steps."""
    around = [optimizer, *optimizer.holds]
    if optimizer.symbolic or not optimizer.holds or any(o.symbolic or o.lost for o in around):
        return False
    return not any(e.variant != "output" and program.touches(e, optimizer) for e in program.of(Clear, Copy, Escape))


def _comes_again(program: Program, optimizer: Optimizer, step: Step, loop: Loop) -> bool:
    """Whether the one of several optimizers that steps in a turn of a loop steps in a later turn, too, as the text of the loop tells."""
    if not optimizer.many:
        built_before = optimizer.loops is not None and not set(optimizer.loops) <= set(step.loops)
        return not built_before or loop not in program.member_loops  # another loop has built one in each of its turns
    again = by_loop(loop.function).get(id(loop.stmt)) if loop.function is not None and loop.repeats else None
    inward = zip_longest(step.chain, step.chain[1:])
    return again is not None and any(
        id(site.node) in again.called and (id(site.node) in again.given or (inner is not None and _is_on_self(inner)))
        for site, inner in inward
    )


def _is_on_self(site: Site) -> bool:
    """Whether a call is made on a part of the object whose method makes it, which is not among what that method is given."""
    here = site.node.func if isinstance(site.node, cst.Call) else None
    while isinstance(here, cst.Attribute | cst.Subscript):
        here = here.value
    return isinstance(here, cst.Name) and here.value == "self"


def _adds_up(program: Program, optimizer: Optimizer, backward: Backward, visit: Visit, loop: Loop) -> bool:
    """Whether a backward adds to gradients of its own modules: those of others that an optimizer holds may have been used before."""
    others = [e for e in program.of(Backward) if e.subjects and backward.subjects and not related(e.subjects, backward.subjects)]
    if not others:
        return True
    modules = [set(obj.lineage()) for obj in backward.subjects]
    clears = [e for e in program.of(Clear) if e.certain and all(not whole.isdisjoint(e.subjects) for whole in modules)]
    alone = next((v for v in program.run_past(_OF_A_PART, optimizer, clears, others) if v.event is visit.event), None)
    return alone is None or any(s.state == "stale" for s in alone.steady(loop))


def turns_in_a_batch(program: Program, found: Uncleared, optimizer: Obj) -> str | None:
    """How often a loop turns, as the text names it, that works on one batch, where each batch begins with a clear: of one turn nothing adds up."""
    outer = found.loop.parent
    counted = _COUNTED_BY_A_NAME.fullmatch(found.loop.iterates)
    if counted is None or outer is None or not over_data(outer) or found.loop.draws:
        return None
    clears = (e for e in program.of(Clear) if e.loops[-1:] == (outer,) and e.certain and program.touches(e, optimizer))
    return counted[1] if any(program.every_iteration(e, outer) for e in clears) else None


def _taken_away(program: Program, optimizer: Optimizer) -> list[Clear]:
    """The clears of some parameters that stand between a backward and the step after it, so that the step leaves these as they are.

    They do not clear all that the optimizer holds: the step would then do nothing.
    """
    clears = [e for e in program.of(Clear) if not e.certain and e.loops and program.touches(e, optimizer)]
    if not clears:
        return []
    steps = [e for e in program.of(Step) if e.loops and optimizer in e.subjects]
    fills = [e for e in program.of(Backward) if program.touches(e, optimizer)]
    return [clear for clear in clears if any(_stands_between(clear, step, fills) for step in steps)]


def _stands_between(clear: Clear, step: Step, fills: list[Backward]) -> bool:
    """Whether a clear comes after a backward and before a step of the same turn, with no other backward in between."""
    if (
        clear.root != step.root
        or clear.loops[: len(step.loops)] != step.loops
        or clear.index > step.index
        or exclude_each_other(clear, step)
    ):
        return False
    before = (e for e in fills if e.root == step.root and e.index < clear.index and e.loops == step.loops)
    return any(not exclude_each_other(e, clear) for e in before) and not any(clear.index < e.index < step.index for e in fills)


def _cleared_in(program: Program, loop: Loop, optimizer: Obj, taken_away: list[Clear]) -> bool:
    """Whether anything in a loop may clear the gradients."""
    may_clear = [e for e in program.of(Clear, Copy, Escape) if e.variant != "output" and e not in taken_away]
    return any(loop in e.loops and program.touches(e, optimizer) for e in may_clear)
