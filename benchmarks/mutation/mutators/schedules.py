"""Bugs of learning-rate schedules: LL201 to LL205."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.mutation.cycles import Cycle, cycles, mentions
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.modes import argument
from benchmarks.mutation.mutators.new_schedules import (
    LR_SCHEDULER,
    STEP_WORDS,
    epoch_bound,
    imports_torch,
    new_plateau_without_metric,
    new_scheduler_before_step,
    new_scheduler_in_batch_loop,
    new_scheduler_never_stepped,
    new_scheduler_per_epoch,
    on_every_batch,
)
from benchmarks.mutation.roles import SCHEDULERS, Event, built, callee, events, functions, receiver
from benchmarks.mutation.script import After, Delete, Loop, MoveAfter, MoveBefore, Replace, Script

_STEP_CLASSES = frozenset({"OneCycleLR", "CyclicLR"}) | {c for c in SCHEDULERS if c.startswith("get_")}
_EPOCH_WORDS = re.compile(r"epoch", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """A scheduler stepped without arguments at one place, its only construction, and the loops there."""

    event: Event
    stmt: ast.Assign
    call: ast.Call
    loops: list[Loop]

    @property
    def optimizer(self) -> str:
        return ast.unparse(self.call.args[0]) if self.call.args else ""


def _schedules(script: Script) -> Iterator[Schedule]:
    """Schedulers that are built once in the file and stepped at one place of it without arguments."""
    found = [e for e in events(script) if e.kind == "schedule"]
    constructions = list(built(script, SCHEDULERS))
    for event in found:
        places = [(s, c) for name, s, c in constructions if name == event.who or len(constructions) == 1]
        alone = sum(e.who == event.who for e in found) == 1
        if len(places) == 1 and alone and event.call is not None and not event.call.args and not event.call.keywords:
            yield Schedule(event, *places[0], script.loops(event.stmt))


def _unit(schedule: Schedule) -> str | None:
    """What the scheduler counts, by the catalogue's evidence: its class, its horizon's words, or the epoch loop's own bound."""
    name = callee(schedule.call)
    if name in _STEP_CLASSES:
        return "step"
    if name == "ReduceLROnPlateau":
        return None
    values = [*schedule.call.args[1:], *(k.value for k in schedule.call.keywords if k.arg not in ("last_epoch", "verbose"))]
    texts = [ast.unparse(v).replace("step_size", "") for v in values]  # the argument's own name says nothing of its unit
    if any(STEP_WORDS.search(t) for t in texts):
        return "step"
    bounds = {epoch_bound(loop) for loop in schedule.loops} - {None}
    if any(_EPOCH_WORDS.search(t) or (t in bounds) for t in texts):
        return "epoch"
    return None


def scheduler_in_batch_loop(script: Script) -> Iterator[Change]:
    """LL201. A step on every epoch is moved into the batch loop: to its end, its start, behind the optimizer's step, or into the
    training function.

    Real where the scheduler counts epochs by evidence that the rule accepts (its horizon is given in epochs or is the epoch loop's
    bound); or where a scheduler stepped in the batch loop is rebuilt as one over the epoch loop's bound.
    """
    for schedule in _schedules(script):
        stmt = schedule.event.stmt
        if not schedule.loops:
            continue
        epoch = schedule.loops[0]
        if _unit(schedule) == "epoch" and script.bodies[stmt] is epoch.body:
            for cycle in cycles(script):
                if cycle.loop is not None and epoch in script.loops(cycle.loop):
                    yield from _into(script, stmt, cycle)
                elif cycle.loop is not None and not script.loops(cycle.loop):
                    yield from _into_function(script, schedule, cycle)
        yield from _rebuilt_over_epochs(script, schedule)
    yield from new_scheduler_in_batch_loop(script)


def _into(script: Script, stmt: ast.stmt, cycle: Cycle) -> Iterator[Change]:
    assert cycle.loop is not None
    body = cycle.loop.body
    skipped = any(isinstance(n, ast.Continue) for n in ast.walk(cycle.loop))
    if not skipped and not isinstance(body[-1], ast.Break | ast.Return):
        yield Change("moved to the end of the batch body", (MoveAfter(stmt, body[-1]),))
    if on_every_batch(script, cycle):
        yield Change("moved behind the optimizer's step", (MoveAfter(stmt, cycle.step.stmt),))
    yield Change("moved to the start of the batch body", (MoveBefore(stmt, body[0]),))


def _into_function(script: Script, schedule: Schedule, cycle: Cycle) -> Iterator[Change]:
    """The step goes into the function that the epoch loop calls, with the scheduler as a new argument, a global or an attribute."""
    function, who = cycle.scope, schedule.event.who
    if not isinstance(function, ast.FunctionDef) or not on_every_batch(script, cycle):
        return
    calls = [n for n in script.nodes if isinstance(n, ast.Call) and callee(n) == function.name]
    if len(calls) != 1 or schedule.loops[0] not in script.loops(calls[0]):
        return
    gone, text = Delete(schedule.event.stmt), f"{who}.step()"
    if who.startswith("self."):
        yield Change("moved into the method's batch loop", (gone, After(cycle.step.stmt, text)))
        return
    if script.bodies[schedule.stmt] is script.tree.body:
        yield Change("moved into the function's batch loop, a global", (gone, After(cycle.step.stmt, text)))
    arguments = function.args
    written = [*calls[0].args, *(k.value for k in calls[0].keywords)]
    if not arguments.args or arguments.defaults or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or not written:
        return
    last = max(written, key=lambda a: (a.end_lineno or 0, a.end_col_offset or 0))
    parameter = Replace(arguments.args[-1], f"{script.text(arguments.args[-1])}, lr_schedule")
    passed = Replace(last, f"{script.text(last)}, lr_schedule={who}")
    yield Change(
        "moved into the function's batch loop, an argument", (gone, parameter, passed, After(cycle.step.stmt, "lr_schedule.step()"))
    )


def _rebuilt_over_epochs(script: Script, schedule: Schedule) -> Iterator[Change]:
    if _unit(schedule) != "step" or len(schedule.loops) < 2 or not _can_build(script, schedule):
        return
    bound = epoch_bound(schedule.loops[-1])
    if bound is not None and script.scope(schedule.stmt) is script.scope(schedule.event.stmt):
        text = f"{LR_SCHEDULER}CosineAnnealingLR({schedule.optimizer}, T_max={bound})"
        yield Change("a schedule over epochs in the place of one over steps", (Replace(schedule.call, text),), None)


def _can_build(script: Script, schedule: Schedule) -> bool:
    return bool(schedule.optimizer) and imports_torch(script)


def batch_scheduler_per_epoch(script: Script) -> Iterator[Change]:
    """LL202. A step on every batch is moved out of the batch loop, or an epoch's scheduler is rebuilt as one that counts steps.

    Real where the scheduler counts steps by its class (OneCycleLR, CyclicLR, transformers' warm-up) or by its horizon, and the place it
    moves to runs once an epoch.
    """
    for schedule in _schedules(script):
        stmt, loops = schedule.event.stmt, schedule.loops
        regions = [c for c in cycles(script) if loops and c.loop is loops[0]]
        if _unit(schedule) == "step" and regions:
            if len(loops) > 1:
                yield Change("moved to just after the batch loop", (MoveAfter(stmt, loops[0]),))
                yield Change("moved to the end of the epoch body", (MoveAfter(stmt, loops[1].body[-1]),))
            yield from _out_of_function(script, schedule, regions[0])
        if loops and not regions and script.bodies[stmt] is loops[0].body and _can_build(script, schedule):
            yield from _rebuilt_over_steps(script, schedule)
    yield from new_scheduler_per_epoch(script)


def _out_of_function(script: Script, schedule: Schedule, cycle: Cycle) -> Iterator[Change]:
    function = cycle.scope
    if not isinstance(function, ast.FunctionDef) or len(schedule.loops) != 1:
        return
    calls = [n for n in script.nodes if isinstance(n, ast.Call) and callee(n) == function.name and script.loops(n)]
    if len(calls) != 1:
        return
    outside = argument(function, calls[0], schedule.event.who)
    text = f"{outside}.step()"
    yield Change("moved behind the call of the training function", (Delete(schedule.event.stmt), After(script.statement(calls[0]), text)))


def _rebuilt_over_steps(script: Script, schedule: Schedule) -> Iterator[Change]:
    inside = [c for c in cycles(script) if c.loop is not None and schedule.loops[0] in script.loops(c.loop)]
    bound, scope = epoch_bound(schedule.loops[0]), script.scope(schedule.stmt)
    if not inside or bound is None or scope is not script.scope(schedule.event.stmt) or inside[0].loop is None:
        return
    loader = _loader(inside[0].loop)
    if loader is None or not _assigned_before(script, loader, schedule.stmt):
        return
    horizon = f"{bound} * len({loader})"
    yield Change(
        "OneCycleLR stepped once an epoch",
        (Replace(schedule.call, f"{LR_SCHEDULER}OneCycleLR({schedule.optimizer}, max_lr=0.1, total_steps={horizon})"),),
        None,
    )
    cyclic = (
        f"{LR_SCHEDULER}CyclicLR({schedule.optimizer}, base_lr=0.001, max_lr=0.1, step_size_up=2 * len({loader}), cycle_momentum=False)"
    )
    yield Change("CyclicLR stepped once an epoch", (Replace(schedule.call, cyclic),), None)
    yield Change(
        "a horizon in steps, stepped once an epoch",
        (Replace(schedule.call, f"{LR_SCHEDULER}CosineAnnealingLR({schedule.optimizer}, T_max={horizon})"),),
        None,
    )


def _loader(loop: Loop) -> str | None:
    """The name that a batch loop iterates, also through enumerate and tqdm."""
    node = loop.iter if isinstance(loop, ast.For) else None
    while isinstance(node, ast.Call) and callee(node) in ("enumerate", "tqdm") and node.args:
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) and "load" in node.id.lower() else None


def _assigned_before(script: Script, name: str, stmt: ast.stmt) -> bool:
    body = script.bodies[stmt]
    return any(isinstance(s, ast.Assign) and any(mentions(t, name) for t in s.targets) for s in body[: body.index(stmt)])


def scheduler_before_optimizer(script: Script) -> Iterator[Change]:
    """LL203. In one iteration the scheduler's step is put before the optimizer's.

    Real where both run on every turn of one loop: the batch loop, or an epoch loop whose batch loop holds the optimizer's step.
    """
    for schedule in _schedules(script):
        stmt = schedule.event.stmt
        for cycle in cycles(script):
            if not schedule.loops or not (cycle.alone or cycle.optimizer == schedule.optimizer):
                continue
            body = script.bodies[stmt]
            if cycle.loop is schedule.loops[0]:
                anchor = script.lift(cycle.step.stmt, body)
                backward = script.lift(cycle.backwards[0].stmt, body)
            else:
                anchor = backward = _training_in(script, cycle, body)
            if anchor is None or not anchor.lineno < stmt.lineno:
                continue
            if anchor is cycle.step.stmt or cycle.loop is not schedule.loops[0]:
                yield Change("moved to just before the optimizer's step", (MoveBefore(stmt, anchor),))
                if backward is not None and backward is not anchor:
                    yield Change("moved to just before the backward", (MoveBefore(stmt, backward),))
                yield Change("moved to the top of the body", (MoveBefore(stmt, body[0]),))
    yield from new_scheduler_before_step(script)


def _training_in(script: Script, cycle: Cycle, body: list[ast.stmt]) -> ast.stmt | None:
    """The statement of an epoch body that is the batch loop, or the plain call of the function that holds it."""
    if cycle.loop is None:
        return None
    if cycle.loop in body:
        return cycle.loop
    if isinstance(cycle.scope, ast.Module) or script.loops(cycle.loop):
        return None
    calls = [n for n in script.nodes if isinstance(n, ast.Call) and callee(n) == cycle.scope.name]
    stmt = script.statement(calls[0]) if len(calls) == 1 else None
    return stmt if stmt in body and isinstance(stmt, ast.Expr | ast.Assign) else None


def plateau_without_metric(script: Script) -> Iterator[Change]:
    """LL204. A ReduceLROnPlateau is stepped without its metric: the argument is dropped, or another scheduler is rebuilt as a plateau one.

    Real where the name is built once in the program, so that it can be of no other class.
    """
    found = list(built(script, SCHEDULERS))
    for name, _, call in found:
        steps = [e for e in events(script) if e.kind == "schedule" and (e.who == name or len(found) == 1)]
        if sum(n == name for n, _, _ in found) != 1 or not steps:
            continue
        if callee(call) == "ReduceLROnPlateau":
            for step in steps:
                if step.call is not None and (step.call.args or step.call.keywords):
                    yield Change("the metric dropped", (Replace(step.call, f"{step.who}.step()"),))
    for schedule in _schedules(script):
        if callee(schedule.call) != "ReduceLROnPlateau" and _can_build(script, schedule) and not _mode_read(script, schedule.event.who):
            text = f'{LR_SCHEDULER}ReduceLROnPlateau({schedule.optimizer}, mode="min", patience=2)'
            yield Change("rebuilt as ReduceLROnPlateau", (Replace(schedule.call, text),), None)
    yield from new_plateau_without_metric(script)


def _mode_read(script: Script, who: str) -> bool:
    """Whether other methods of the scheduler are used, which the plateau one may lack."""
    return any(isinstance(n, ast.Attribute) and ast.unparse(n.value) == who and n.attr != "step" for n in script.nodes)


def scheduler_never_stepped(script: Script) -> Iterator[Change]:
    """LL205. The program's only scheduler loses its steps, or a script without one gets one that nothing steps.

    Real where the scheduler is a plain name that goes nowhere but into functions of the program (not returned, not stored, not handed
    to a framework).
    """
    found = list(built(script, SCHEDULERS))
    others = [x for part in script.siblings for x in built(part, SCHEDULERS)]
    steps = [e for e in events(script) if e.kind == "schedule"]
    stepped_elsewhere = any(e.kind == "schedule" for part in script.siblings for e in events(part))
    if len(found) == 1 and not others and steps and not stepped_elsewhere and not _escapes(script, found[0][0], found[0][1]):
        yield Change("its steps deleted", tuple(Delete(e.stmt) for e in steps))
        yield Change("its steps named, not called", tuple(Replace(e.stmt, f"{e.who}.step") for e in steps))
    yield from new_scheduler_never_stepped(script)


def _escapes(script: Script, name: str, stmt: ast.Assign) -> bool:
    """Whether a scheduler's name is used otherwise than through its attributes or as an argument of a function of the program."""
    if "." in name:
        return True
    scope = script.scope(stmt)
    for node in ast.walk(scope):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        parent = script.parents[node]
        if isinstance(parent, ast.keyword):
            parent = script.parents[parent]
        if isinstance(parent, ast.Attribute) and parent.attr in ("step", "get_last_lr", "last_epoch"):
            continue
        if isinstance(parent, ast.Call) and receiver(parent) == "" and functions(script, callee(parent)):
            continue
        return True
    return False
