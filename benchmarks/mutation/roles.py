"""What the names of a script stand for, as far as its text tells: optimizers, schedulers, models, and the calls on them in order.

This is on purpose not the linter's own analysis: it follows plain receiver names only, and a mutator that is not sure proposes nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from benchmarks.mutation.script import Loop, Scope, Script

OPTIMIZERS = frozenset(
    "SGD Adam AdamW Adagrad Adadelta RMSprop Adamax NAdam RAdam ASGD Rprop SparseAdam Adafactor Muon Lion LAMB Lamb FusedAdam".split()
)
SCHEDULERS = frozenset(
    """LambdaLR MultiplicativeLR StepLR MultiStepLR ConstantLR LinearLR ExponentialLR PolynomialLR CosineAnnealingLR ChainedScheduler
    SequentialLR ReduceLROnPlateau CyclicLR OneCycleLR CosineAnnealingWarmRestarts get_linear_schedule_with_warmup
    get_cosine_schedule_with_warmup get_constant_schedule_with_warmup get_polynomial_decay_schedule_with_warmup get_scheduler""".split()
)
CLIPS = frozenset({"clip_grad_norm_", "clip_grad_norm", "clip_grad_value_"})
_TORCH_METHODS = frozenset("train eval step backward update to forward log apply state_dict".split())
_FRAMEWORKS = frozenset({"accelerator", "fabric", "self.accelerator", "self.fabric"})

# What is asked of a script again and again by each mutator; those of its program are asked with it.
once_per_script = lru_cache(maxsize=32)

Kind: TypeAlias = Literal["clear", "backward", "step", "clip", "schedule", "train", "eval"]


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One call that matters, `who` it concerns (an optimizer, a loss, a model) and the statement it is."""

    kind: Kind
    who: str
    stmt: ast.stmt
    call: ast.Call | None


def callee(call: ast.Call) -> str:
    """The last part of what is called: `backward` of `loss.backward()`."""
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def receiver(call: ast.Call) -> str:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


@once_per_script
def constructions(script: Script) -> dict[str, list[tuple[ast.Assign, ast.Call]]]:
    """`name = Something(...)`: the calls that each plain target is assigned from, in this file."""
    found: dict[str, list[tuple[ast.Assign, ast.Call]]] = {}
    for stmt in script.statements():
        match stmt:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call() as call):
                found.setdefault(ast.unparse(target), []).append((stmt, call))
    return found


def built(script: Script, classes: frozenset[str]) -> Iterator[tuple[str, ast.Assign, ast.Call]]:
    """The assignments that build an object of one of these classes."""
    for name, places in constructions(script).items():
        for stmt, call in places:
            if callee(call) in classes:
                yield name, stmt, call


@once_per_script
def optimizer_names(script: Script) -> set[str]:
    """Names assigned from an optimizer's class, and names that are both cleared and stepped (a parameter, an attribute)."""
    known = {name for part in script.program for name, _, _ in built(part, OPTIMIZERS)}
    cleared = {receiver(c) for c in _calls(script) if callee(c) == "zero_grad"}
    stepped = {receiver(c) for c in _calls(script) if callee(c) == "step"}
    by_scaler = {ast.unparse(c.args[0]) for c in _calls(script) if callee(c) == "step" and "scaler" in receiver(c).lower() and c.args}
    return known | (cleared & stepped) | by_scaler


@once_per_script
def scheduler_names(script: Script) -> set[str]:
    known = {name for part in script.program for name, _, _ in built(part, SCHEDULERS)}
    return known | {receiver(c) for c in _calls(script) if callee(c) == "step" and "sched" in receiver(c).lower()}


@once_per_script
def trained_models(script: Script) -> dict[str, str]:
    """Optimizer -> the one model whose `.parameters()` it was built on, where the text says so."""
    found: dict[str, str] = {}
    for name, _, call in built(script, OPTIMIZERS):
        if call.args and isinstance(call.args[0], ast.Call) and callee(call.args[0]) == "parameters" and not call.args[0].args:
            found[name] = receiver(call.args[0])
    return found


def models(script: Script) -> set[str]:
    """Names that the text uses as models: optimized, or switched between modes."""
    switched = {receiver(c) for c in _calls(script) if callee(c) in ("train", "eval") and not c.args}
    return (switched | {m for part in script.program for m in trained_models(part).values()}) - {""}


@once_per_script
def events(script: Script) -> list[Event]:
    """The calls of a training loop that stand as statements of their own, in the order of the text."""
    optimizers, schedulers = optimizer_names(script), scheduler_names(script)
    found: list[Event] = []
    for stmt in script.statements():
        match stmt:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
                event = _event(stmt, call, optimizers, schedulers)
                if event is not None:
                    found.append(event)
            case ast.For(iter=ast.Call() as call) if callee(call) == "parameters" and _only_clears(stmt):
                found.append(Event("clear", receiver(call), stmt, None))
    return found


def _event(stmt: ast.stmt, call: ast.Call, optimizers: set[str], schedulers: set[str]) -> Event | None:
    name, who = callee(call), receiver(call)
    if name in CLIPS:
        return Event("clip", ast.unparse(call.args[0]) if call.args else "", stmt, call)
    if not isinstance(stmt, ast.Expr):
        return None
    match name:
        case "zero_grad":
            return Event("clear", who, stmt, call)
        case "backward" | "manual_backward":
            return Event("backward", _loss(call), stmt, call)
        case "step" if "scaler" in who.lower() and call.args:
            return Event("step", ast.unparse(call.args[0]), stmt, call)
        case "step" if who in schedulers:
            return Event("schedule", who, stmt, call)
        case "step" if who in optimizers:
            return Event("step", who, stmt, call)
        case "train" | "eval" if not call.args and not call.keywords and who:
            return Event("train" if name == "train" else "eval", who, stmt, call)
        case _:
            return None


def _loss(call: ast.Call) -> str:
    """What goes backward: `loss.backward()`, `accelerator.backward(loss)`, `scaler.scale(loss).backward()`."""
    if (receiver(call) in _FRAMEWORKS or callee(call) == "manual_backward") and call.args:
        return ast.unparse(call.args[0])
    match call.func:
        case ast.Attribute(value=ast.Call() as inner) if callee(inner) == "scale" and inner.args:
            return ast.unparse(inner.args[0])
        case ast.Attribute(value=value):
            return ast.unparse(value)
        case _:
            return ""


def _only_clears(loop: ast.For) -> bool:
    """`for p in model.parameters(): p.grad = None`, possibly behind an `if`."""
    body = loop.body
    while len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse:
        body = body[0].body
    match body:
        case [ast.Assign(targets=[ast.Attribute(attr="grad")], value=ast.Constant(value=None))]:
            return True
        case _:
            return False


@once_per_script
def _calls(script: Script) -> list[ast.Call]:
    return [n for part in script.program for n in part.nodes if isinstance(n, ast.Call)]


def called_in_loop(script: Script, scope: Scope) -> bool:
    """Whether a loop of the program calls this function, itself or through functions that it calls directly."""
    names, seen = {scope.name} if not isinstance(scope, ast.Module) else set(), set()
    while names:
        seen |= names
        callers: set[str] = set()
        for part in script.program:
            for node in part.nodes:
                if isinstance(node, ast.Call) and callee(node) in names:
                    if part.loops(node):
                        return True
                    home = part.scope(node)
                    if not isinstance(home, ast.Module):
                        callers.add(home.name)
        names = callers - seen
    return False


def calls_within(node: ast.AST) -> set[str]:
    """The names that a node calls; of methods only those that are not also torch's (`model.train()` is not the script's `train`)."""
    found = set()
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and not (callee(call) in _TORCH_METHODS and receiver(call) not in ("", "self")):
            found.add(callee(call))
    return found


def functions(script: Script, name: str) -> list[ast.FunctionDef]:
    """The functions and methods of this name anywhere in the program."""
    return [n for part in script.program for n in part.nodes if isinstance(n, ast.FunctionDef) and n.name == name]


def reaches(script: Script, node: ast.AST, wanted: frozenset[str]) -> bool:
    """Whether code that a node calls (project functions followed by name) contains a call of one of these names."""
    seen: set[str] = set()
    pending = calls_within(node)
    while pending:
        name = pending.pop()
        if name in wanted:
            return True
        if name in seen:
            continue
        seen.add(name)
        for function in functions(script, name):
            pending |= calls_within(function) - seen
    return False


def innermost_loop(script: Script, node: ast.AST) -> Loop | None:
    loops = script.loops(node)
    return loops[0] if loops else None
