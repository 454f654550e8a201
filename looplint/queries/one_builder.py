"""Optimizers that one function builds: where their steps stand for each other's, and where they are two that work side by side."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.domain.objects import Engine, Obj, Optimizer
from looplint.flow.events import Backward, LoadState, Step
from looplint.queries.program import Program
from looplint.queries.relations import held_by, related


def steps_in_some_call(steps: Iterable[Step], optimizer: Obj) -> list[Step]:
    """The steps of what is built where this optimizer is, in this call of the function around it or in another."""
    return [e for e in steps if any(o is optimizer or _built_alike(o, optimizer) for o in e.subjects)]


def _built_alike(one: Obj, other: Obj) -> bool:
    """Whether two objects are built at one place; what is handed to a function has the place of the function, what each branch builds that of the `if`."""
    shares_its_place = other.symbolic or bool(other.one_of)
    return one.node is not None and one.node is other.node and (one.name == other.name or not shares_its_place)


def is_beside(step: Step, optimizer: Optimizer | Engine, backward: Backward) -> bool:
    """Whether a step is of another model's optimizer that one function has built too, and both are at work in one loop: a generator's and a discriminator's."""
    if optimizer in step.subjects or backward.loops[-1] not in step.loops:
        return False
    holds = held_by(step.subjects)
    return bool(holds and optimizer.holds) and not related(optimizer.holds, holds)


def steps_in_the_turn(program: Program, step: Step, backward: Backward) -> bool:
    """Whether a step is one of the turn in which something goes backward: right in that loop, or in one over several optimizers, in which nothing else does."""
    inner = step.loops[len(backward.loops) :]
    return step.loops[: len(backward.loops)] == backward.loops and program.differentiating_loops.isdisjoint(inner)


def others_step(steps: Iterable[Step], optimizer: Optimizer | Engine, backward: Backward) -> bool:
    """Whether other optimizers step on all that this one holds, where the gradients are computed, in this call or in another: it was rebuilt."""
    inner = backward.loops[-1].site.node
    stepped = held_by(o for e in steps if any(loop.site.node is inner for loop in e.loops) for o in e.subjects)
    return bool(optimizer.holds) and all(related([h], stepped) for h in optimizer.holds)


def is_given_states_of(program: Program, optimizer: Optimizer | Engine, others: Iterable[Obj], backward: Backward) -> bool:
    """Whether all models of an optimizer are given the states of models that others step on, in the loop: a target network follows without a step of its own."""
    sources = held_by(others)
    loads = [e for e in program.of(LoadState) if not e.files and not set(e.loops).isdisjoint(backward.loops)]
    # A state that is not known is a mixture of both, or what a server sends.
    following = [o for e in loads if all(related([s.owner], sources) for s in e.states) for o in e.subjects]
    return bool(optimizer.holds) and all(related([held], following) and not related([held], sources) for held in optimizer.holds)
