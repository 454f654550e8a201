"""Bugs in the gradient cycle: LL101, LL102, LL105, LL106, LL107."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import (
    Cycle,
    cycles,
    enclosing_top,
    handles_gradients_itself,
    last_backward,
    side_by_side,
    together,
)
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import Event, callee, calls_within, events, functions, optimizer_names, reaches, receiver, trained_models
from benchmarks.mutation.script import After, Before, Delete, MoveAfter, MoveBefore, Op, Replace, Script

_HELPER = "def reset_gradients(opt):\n    opt.zero_grad()\n\n\n"


def zero_grad_after_backward(script: Script) -> Iterator[Change]:
    """LL101. A clear is put between the last backward before a step and that step.

    Real because nothing fills the gradients again before the step, whatever else clears: the step uses nothing. Where the backward
    stands under another condition than the step (accumulation, a branch), the clear goes after the whole of that statement.
    """
    for cycle in cycles(script):
        if not cycle.clears:
            continue
        drop = tuple(Delete(c.stmt) for c in cycle.clears)
        own = [c for c in cycle.clears if c.call is not None]
        places = together(script, last_backward(cycle).stmt, cycle.step.stmt)
        step, clear = cycle.step.stmt, f"{cycle.optimizer}.zero_grad()"
        if len(own) == len(cycle.clears) == 1:
            yield Change("the clear moved to just before the step", (MoveBefore(own[0].stmt, step),))
            if places and places[0] is not places[1]:
                yield Change("the clear moved to just after the backward", (MoveAfter(own[0].stmt, places[0]),))
        yield Change("a second clear before the step", (Before(step, clear),))
        yield Change("the clear, with set_to_none, moved before the step", (*drop, Before(step, clear.replace("()", "(set_to_none=True)"))))
        helper = Before(enclosing_top(script, step), _HELPER)
        yield Change("the clear in a helper called before the step", (*drop, helper, Before(step, f"reset_gradients({cycle.optimizer})")))
        if cycle.model:
            yield Change("model.zero_grad() before the step", (*drop, Before(step, f"{cycle.model}.zero_grad()")))
            by_hand = f"for p in {cycle.model}.parameters():\n    p.grad = None"
            yield Change("p.grad = None for all parameters before the step", (*drop, Before(step, by_hand)))


def missing_zero_grad(script: Script) -> Iterator[Change]:
    """LL102. The clears of a repeated cycle are removed, or put where they run once for many batches.

    Real only when nothing else clears there: every clear of the cycle goes, the functions that the region calls do not clear, gradients
    are nowhere written by hand, and with several optimizers what remains is known to belong to the others.
    """
    if handles_gradients_itself(script):
        return
    planted = False
    for cycle in cycles(script):
        # A cycle that clears through a helper loses its clear only when the whole program does.
        planted = planted or bool(cycle.clears) or reaches(script, cycle.region, frozenset({"zero_grad"}))
        if not cycle.clears or not only_clears_of(script, cycle):
            continue
        drop = tuple(Delete(c.stmt) for c in cycle.clears)
        label = "the clear" if cycle.alone else "one optimizer's clear"
        yield Change(f"{label} deleted", drop)
        named = tuple(Replace(c.call, ast.unparse(c.call.func)) for c in cycle.clears if c.call is not None)
        if len(named) == len(cycle.clears):
            yield Change(f"{label} named, not called", named)
        if cycle.loop is not None:
            yield Change(f"{label} moved before the batch loop", (*drop, Before(cycle.loop, f"{cycle.optimizer}.zero_grad()")))
            if len(script.loops(cycle.loop)) > 0:
                yield Change(f"{label} moved after the batch loop", (*drop, After(cycle.loop, f"{cycle.optimizer}.zero_grad()")))
    everything = [e for e in events(script) if e.kind == "clear"]
    if planted and sum(callee(n) == "zero_grad" for n in _calls(script)) == sum(e.call is not None for e in everything):
        yield Change("every clear of the program deleted", tuple(Delete(e.stmt) for e in everything))


def only_clears_of(script: Script, cycle: Cycle) -> bool:
    """Whether no other code that runs within the cycle could clear this optimizer's gradients."""
    own = {c.call for c in cycle.clears}
    others = (optimizer_names(script) | set(trained_models(script).values())) - {cycle.optimizer, cycle.model}
    for node in ast.walk(cycle.region):
        if not isinstance(node, ast.Call):
            continue
        if callee(node) == "zero_grad" and node not in own and (cycle.alone or receiver(node) not in others):
            return False
    return not any(reaches(script, f, frozenset({"zero_grad"})) for name in calls_within(cycle.region) for f in functions(script, name))


def step_before_backward(script: Script) -> Iterator[Change]:
    """LL105. The step is put before the backward, where the gradients are empty.

    Real where clear, backward and step stand in one statement list, once each: between the clear and the backward (or, where the clear
    comes last, anywhere before the backward) the step finds nothing. Not under a scaler, which raises.
    """
    for cycle in cycles(script):
        if cycle.scaled or len(cycle.backwards) != 1 or len(cycle.clears) != 1 or cycle.clears[0].call is None:
            continue
        (backward,), (clear,), step = cycle.backwards, cycle.clears, cycle.step
        if not side_by_side(script, backward, clear, step):
            continue
        if backward.stmt.lineno < clear.stmt.lineno < step.stmt.lineno:
            continue
        yield Change("the step moved to just before the backward", (MoveBefore(step.stmt, backward.stmt),))
        yield Change("the backward moved to just after the step", (MoveAfter(backward.stmt, step.stmt),))
        if clear.stmt.lineno < backward.stmt.lineno:
            yield Change("the step moved to just after the clear", (MoveAfter(step.stmt, clear.stmt),))
        elif cycle.loop is not None:
            yield Change("the step moved to the top of the batch body", (MoveBefore(step.stmt, script.bodies[step.stmt][0]),))


def missing_step(script: Script) -> Iterator[Change]:
    """LL106. Every step of an optimizer is removed, of all of them or of one among several.

    Real where the region still runs backward and no other `.step()` of that optimizer is left in the program. A scaler's `update()`
    goes with the step (it would raise alone).
    """
    found = events(script)
    steps = [e for e in found if e.kind == "step"]
    trained = list(cycles(script))
    if not trained or _calls_elsewhere(script, "step", {e.call for e in found}):
        return
    updates = tuple(Delete(s) for s in _updates(script)) if any(c.scaled for c in trained) else ()
    yield Change("every step deleted", (*(Delete(e.stmt) for e in steps), *updates))
    if not updates:
        yield Change("every step named, not called", tuple(Replace(e.stmt, f"{e.who}.step") for e in steps))
        yield Change("a clear in the place of every step", tuple(Replace(e.stmt, f"{e.who}.zero_grad()") for e in steps))
    for name in {c.optimizer for c in trained if not c.alone}:
        own = [e for e in steps if e.who == name]
        if any(e.who != name for e in steps) and not any(c.scaled for c in trained):
            yield Change(f"the steps of {name} deleted", tuple(Delete(e.stmt) for e in own))


def _updates(script: Script) -> Iterator[ast.stmt]:
    for stmt in script.statements():
        if (
            isinstance(stmt, ast.Expr)
            and isinstance(stmt.value, ast.Call)
            and callee(stmt.value) == "update"
            and "scaler" in receiver(stmt.value)
        ):
            yield stmt


def missing_backward(script: Script) -> Iterator[Change]:
    """LL107. The backwards are removed, all of the program's, or the only one between one optimizer's clear and its step.

    Real where no other backward call exists in the program and gradients are not written by hand; for one among several optimizers,
    where clear, backward and step stand in one statement list in this order with no other backward between them.
    """
    found = events(script)
    backwards = [e for e in found if e.kind == "backward"]
    trained = list(cycles(script))
    if not trained or handles_gradients_itself(script) or any(c.scaled for c in trained):
        return
    if not _calls_elsewhere(script, "backward", {e.call for e in backwards}) and "manual_backward" not in script.source:
        yield Change("every backward deleted", tuple(Delete(e.stmt) for e in backwards))
        yield Change("every backward named, not called", tuple(_named(e) for e in backwards if e.call is not None))
    for cycle in trained:
        between = _between(script, cycle)
        if between is not None and len(backwards) > 1:
            yield Change(f"the backward of {cycle.optimizer} deleted", (Delete(between.stmt),))


def _named(event: Event) -> Op:
    assert event.call is not None
    return Replace(event.call, ast.unparse(event.call.func))


def _between(script: Script, cycle: Cycle) -> Event | None:
    """The only backward between the clear and the step of one statement list."""
    if len(cycle.clears) != 1 or not side_by_side(script, cycle.clears[0], cycle.step):
        return None
    first, last = cycle.clears[0].stmt, cycle.step.stmt
    within = [b for b in cycle.backwards if first.lineno < b.stmt.lineno < last.lineno]
    if len(within) != 1 or not side_by_side(script, within[0], cycle.step):
        return None
    return within[0]


def _calls_elsewhere(script: Script, name: str, known: set[ast.Call | None]) -> bool:
    """Whether the program calls something of this name that is none of the known calls."""
    return any(callee(n) == name and n not in known for n in _calls(script))


def _calls(script: Script) -> Iterator[ast.Call]:
    return (n for part in script.program for n in part.nodes if isinstance(n, ast.Call))
