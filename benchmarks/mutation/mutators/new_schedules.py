"""Schedules planted whole, in scripts that have none: built after the optimizer and stepped at the wrong place (LL201 to LL205)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.mutation.cycles import Cycle, cycles
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import OPTIMIZERS, SCHEDULERS, built, callee, events
from benchmarks.mutation.script import After, Before, Loop, Op, Script

STEP_WORDS = re.compile(r"len\(|step|iter|batch", re.IGNORECASE)
LR_SCHEDULER = "torch.optim.lr_scheduler."
_NAME = "lr_schedule"


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """An optimizer's construction, the cycle that steps it, and the epoch loop of the same function around it or around its function's
    only call.
    """

    optimizer: str
    built: ast.stmt
    cycle: Cycle
    epoch: Loop

    def construction(self, text: str) -> Op:
        return After(self.built, f"{_NAME} = {LR_SCHEDULER}{text}")

    def after_step(self) -> Op:
        return After(self.cycle.step.stmt, f"{_NAME}.step()")

    def after_epoch(self) -> Op:
        return After(self.epoch.body[-1], f"{_NAME}.step()")

    @property
    def bound(self) -> str | None:
        return epoch_bound(self.epoch)


def epoch_bound(loop: Loop) -> str | None:
    """N of `for ... in range(N)`."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[bound])):
            return ast.unparse(bound)
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=0 | 1), bound])):
            return ast.unparse(bound)
    return None


def imports_torch(script: Script) -> bool:
    """Whether the plain name `torch` is imported at the top."""
    return any(isinstance(n, ast.Import) and any(a.name == "torch" and a.asname is None for a in n.names) for n in script.tree.body)


def on_every_batch(script: Script, cycle: Cycle) -> bool:
    """Whether the optimizer's step runs in every turn of its loop: under no guard, and never skipped by a `continue`."""
    if cycle.loop is None or script.bodies[cycle.step.stmt] is not cycle.loop.body:
        return False
    return not any(isinstance(n, ast.Continue) for n in ast.walk(cycle.loop))


def _places(script: Script) -> Iterator[Place]:
    """Where a new scheduler can be built, stepped and seen; none where the program has a scheduler already."""
    scheduled = any(e.kind == "schedule" for part in script.program for e in events(part))
    if scheduled or any(True for part in script.program for _ in built(part, SCHEDULERS)) or not imports_torch(script):
        return
    places = [(name, stmt) for name, stmt, _ in built(script, OPTIMIZERS) if name.isidentifier()]
    for name, stmt in places:
        if len([n for n, _ in places if n == name]) != 1:
            continue
        for cycle in cycles(script):
            epoch = _epoch(script, cycle)
            # The construction must come first and be seen from the epoch loop: one function, or the module's own names.
            if epoch is None or cycle.optimizer != name or epoch in script.ancestors(stmt):
                continue
            if script.scope(epoch) is script.scope(stmt) and stmt.lineno < epoch.lineno:
                yield Place(name, stmt, cycle, epoch)


def _epoch(script: Script, cycle: Cycle) -> Loop | None:
    if cycle.loop is None:
        return None
    around = script.loops(cycle.loop)
    if around:
        return around[0] if len(around) == 1 else None
    if isinstance(cycle.scope, ast.Module):
        return None
    calls = [n for n in script.nodes if isinstance(n, ast.Call) and callee(n) == cycle.scope.name]
    loops = script.loops(calls[0]) if len(calls) == 1 else []
    return loops[0] if len(loops) == 1 else None


def _nested(script: Script) -> Iterator[Place]:
    return (p for p in _places(script) if p.cycle.loop is not None and p.epoch in script.loops(p.cycle.loop))


def new_scheduler_in_batch_loop(script: Script) -> Iterator[Change]:
    """LL201: a horizon that is the epoch loop's bound, stepped on every batch."""
    for place in _nested(script):
        # A bound called "n_iter" is evidence of another unit.
        if place.bound is not None and on_every_batch(script, place.cycle) and not STEP_WORDS.search(place.bound):
            cosine = place.construction(f"CosineAnnealingLR({place.optimizer}, T_max={place.bound})")
            decay = place.construction(f"LambdaLR({place.optimizer}, lr_lambda=lambda epoch: 0.95 ** epoch)")
            for form, new in (("schedule over epochs", cosine), ("epoch lambda", decay)):
                yield Change(f"a new {form} in the batch loop", (new, place.after_step()), (new, place.after_epoch()))


def new_scheduler_per_epoch(script: Script) -> Iterator[Change]:
    """LL202: a schedule that counts steps by its class, stepped at the end of the epoch body."""
    for place in _places(script):
        if isinstance(place.epoch.body[-1], ast.Return | ast.Break | ast.Continue):
            continue
        one_cycle = place.construction(f"OneCycleLR({place.optimizer}, max_lr=0.1, total_steps=1000)")
        cyclic = place.construction(f"CyclicLR({place.optimizer}, base_lr=0.001, max_lr=0.1, cycle_momentum=False)")
        for form, new in (("OneCycleLR", one_cycle), ("CyclicLR", cyclic)):
            yield Change(f"a new {form} once an epoch", (new, place.after_epoch()), (new, place.after_step()))


def new_scheduler_before_step(script: Script) -> Iterator[Change]:
    """LL203: stepped just before the optimizer, on the same condition; and at the start of an epoch body."""
    for place in _nested(script):
        decay = place.construction(f"ExponentialLR({place.optimizer}, gamma=0.999)")
        early = Before(place.cycle.step.stmt, f"{_NAME}.step()")
        yield Change("a new schedule just before the step", (decay, early), (decay, place.after_step()))
    for place in _places(script):
        decay = place.construction(f"StepLR({place.optimizer}, step_size=2, gamma=0.5)")
        early = Before(place.epoch.body[0], f"{_NAME}.step()")
        yield Change("a new schedule at the top of the epoch body", (decay, early), (decay, place.after_epoch()))


def new_plateau_without_metric(script: Script) -> Iterator[Change]:
    """LL204: a plateau scheduler stepped bare at the end of the epoch body."""
    for place in _places(script):
        if not isinstance(place.epoch.body[-1], ast.Return | ast.Break | ast.Continue):
            new = place.construction(f"ReduceLROnPlateau({place.optimizer}, patience=2)")
            yield Change("a new bare plateau step", (new, place.after_epoch()), None)


def new_scheduler_never_stepped(script: Script) -> Iterator[Change]:
    """LL205: built, and never heard of again."""
    for place in _places(script):
        yield Change("a new scheduler that nothing steps", (place.construction(f"StepLR({place.optimizer}, step_size=2, gamma=0.5)"),))
        yield Change("a new cosine scheduler that nothing steps", (place.construction(f"CosineAnnealingLR({place.optimizer}, T_max=10)"),))
