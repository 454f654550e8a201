"""What the mutators of slow training share: loops with the loader they go over, and scripts that are moved to an accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.mutation.cycles import Cycle, cycles
from benchmarks.mutation.mutators.loading import iterated, trained_on
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import called_in_loop, callee, constructions, receiver, trained_models
from benchmarks.mutation.script import Before, Loop, Op, Script


@dataclass(frozen=True, slots=True, eq=False)
class Feeding:
    """A loader, the assignment that builds it, and a loop of the same file that trains on its batches in every epoch."""

    stmt: ast.Assign
    call: ast.Call
    cycle: Cycle
    loop: ast.For

    @property
    def name(self) -> str:
        return ast.unparse(self.stmt.targets[0])


def feedings(script: Script) -> Iterator[Feeding]:
    """Each loader with the first loop that trains on it; none whose arguments come from a dict or that is built twice."""
    places = constructions(script)
    for stmt, call in trained_on(script):
        name = ast.unparse(stmt.targets[0])
        if any(k.arg is None for k in call.keywords) or len(call.args) > 2 or len(places.get(name, ())) != 1:
            continue
        if not _gone_over_again(script, name):
            continue
        for cycle in cycles(script):
            if isinstance(cycle.loop, ast.For) and name in iterated(script, script, cycle.loop):
                yield Feeding(stmt, call, cycle, cycle.loop)
                break


def _gone_over_again(script: Script, name: str) -> bool:
    """Whether the loader's name stands in a loop other than the one over its batches, or in a function that a loop calls."""
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and ast.unparse(node) == name:
            around = [loop for loop in script.loops(node) if not (isinstance(loop, ast.For) and node in ast.walk(loop.iter))]
            scope = script.scope(node)
            if around or (not isinstance(scope, ast.Module) and called_in_loop(script, scope)):
                return True
    return False


def accelerated(script: Script) -> bool:
    """Whether the text moves something to an accelerator: then `cuda` stands in it beside a `.to(` or a `.cuda(`."""
    text = "".join(part.source for part in script.program)
    return "cuda" in text and (".to(" in text or ".cuda(" in text) and "Accelerator" not in text and "Fabric" not in text


def moved(script: Script) -> tuple[Op, ...] | None:
    """Moves each optimized model of a script that knows no device; None where it names one, or its models are not plain."""
    if any(word in part.source for part in script.program for word in ("cuda", "device", "Accelerator", "Fabric", "torch.compile")):
        return None
    ops: list[Op] = []
    for optimizer, model in trained_models(script).items():
        for stmt, _ in constructions(script)[optimizer]:
            if not model.replace(".", "").replace("_", "").isalnum():
                return None
            ops.append(Before(stmt, f'{model}.to("cuda" if torch.cuda.is_available() else "cpu")'))
    return tuple(ops) if ops and imports_torch(script) else None


def parts(loop: Loop) -> tuple[str, ...]:
    """The plain names of a batch: x and y of `for i, (x, y) in enumerate(loader)`; none where one of them is anything else."""
    if not isinstance(loop, ast.For):
        return ()
    target = loop.target
    if isinstance(loop.iter, ast.Call) and callee(loop.iter) == "enumerate":
        if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
            return ()
        target = target.elts[1]
    elements = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [e.id for e in elements if isinstance(e, ast.Name)]
    return tuple(names) if len(names) == len(elements) and "_" not in names else ()


def copies(script: Script, loop: ast.For) -> list[ast.Call]:
    """The calls that move a part of the loop's batch to a device, where each names one of its parts."""
    names = set(parts(loop))
    found = []
    for node in ast.walk(loop):
        if (
            isinstance(node, ast.Call)
            and callee(node) in ("to", "cuda")
            and receiver(node).split("[")[0] in names
            and script.loops(node)[:1] == [loop]
        ):
            found.append(node)
    return found


def with_arguments(call: ast.Call, drop: tuple[str, ...] = (), **given: str) -> str:
    """A call's text with keyword arguments left out and others given."""
    kept = [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords if k.arg is not None and k.arg not in drop and k.arg not in given]
    new = [f"{name}={text}" for name, text in given.items()]
    return f"{ast.unparse(call.func)}({', '.join([*map(ast.unparse, call.args), *kept, *new])})"


def given(call: ast.Call, name: str) -> ast.expr | None:
    """What a call is given for a keyword argument."""
    return next((k.value for k in call.keywords if k.arg == name), None)


def says(value: ast.expr | None, *constants: object) -> bool:
    """Whether an argument is one of these constants; None also stands for one that is not given."""
    if value is None:
        return None in constants
    return isinstance(value, ast.Constant) and value.value in constants
