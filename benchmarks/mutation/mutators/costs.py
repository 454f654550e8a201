"""Bugs of style and of accumulation that only opt-in rules name: LP006, LP007, LP009, LL111."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import Cycle, cycles, enclosing_top, handles_gradients_itself, side_by_side
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import called_in_loop, callee, calls_within, constructions, functions, receiver, trained_models
from benchmarks.mutation.script import After, Before, Delete, Loop, Op, Replace, Script

_K = 4


def zero_grad_not_to_none(script: Script) -> Iterator[Change]:
    """LP006. A clear is told to fill with zeros. Real where the program neither reads nor writes gradients itself."""
    if handles_gradients_itself(script) or any(
        ".grad" in part.source.replace("zero_grad", "").replace("no_grad", "") for part in script.program
    ):
        return
    for cycle in cycles(script):
        for clear in cycle.clears:
            if clear.call is None or clear.call.args or clear.call.keywords:
                continue
            who = clear.who
            yield Change("set_to_none=False", (Replace(clear.call, f"{who}.zero_grad(set_to_none=False)"),))
            yield Change("False by position", (Replace(clear.call, f"{who}.zero_grad(False)"),))
            model = cycle.model if cycle.alone else None
            if model is not None and who == cycle.optimizer:
                yield Change("the model's, set_to_none=False", (Replace(clear.call, f"{model}.zero_grad(set_to_none=False)"),))


def deprecated_amp(script: Script) -> Iterator[Change]:
    """LP007. The names of torch.amp become those of torch.cuda.amp; or a plain loop computes in mixed precision by the old names."""
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("torch.amp.autocast", "torch.autocast", "torch.amp.GradScaler"):
            device = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg in ("device_type", "device")), None)
            if not isinstance(device, ast.Constant) or device.value not in ("cuda", "cpu") or len(node.args) > 1:
                continue
            rest = ", ".join(f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords if k.value is not device)
            yield Change(
                f"{callee(node)} of torch.{device.value}.amp", (Replace(node, f"torch.{device.value}.amp.{callee(node)}({rest})"),)
            )
    if any("amp" in part.source or "Accelerator" in part.source or "Fabric" in part.source for part in script.program) or not imports_torch(
        script
    ):
        return
    for cycle in cycles(script):
        yield from _scaled(script, cycle)


def _scaled(script: Script, cycle: Cycle) -> Iterator[Change]:
    backward, step, loop = cycle.backwards[-1], cycle.step, cycle.loop
    call = backward.call
    if cycle.scaled or not cycle.alone or loop is None or len(cycle.backwards) != 1 or any(e.kind == "clip" for e in cycle.in_region):
        return
    if (
        call is None
        or call.args
        or not isinstance(backward.stmt, ast.Expr)
        or step.call is None
        or step.call.args
        or not isinstance(step.stmt, ast.Expr)
    ):
        return
    top = enclosing_top(script, loop)
    used: tuple[Op, ...] = (
        Replace(backward.stmt, f"scaling.scale({backward.who}).backward()"),
        Replace(step.stmt, f"scaling.step({cycle.optimizer})\nscaling.update()"),
    )
    for form, imported, built in (
        ("a scaler of torch.cuda.amp", "", "torch.cuda.amp.GradScaler()"),
        ("the class imported", "from torch.cuda.amp import GradScaler\n", "GradScaler()"),
        ("the module imported", "from torch.cuda import amp\n", "amp.GradScaler(enabled=torch.cuda.is_available())"),
        ("the module under another name", "import torch.cuda.amp as mixed\n", "mixed.GradScaler()"),
    ):
        start: tuple[Op, ...] = (Before(loop, f"scaling = {built}"),)
        if top is loop:
            start, imported = (Before(loop, f"{imported}scaling = {built}"),), ""
        yield Change(form, (*((Before(top, imported),) if imported else ()), *start, *used), None)
    forward = _forward(script, cycle)
    if forward is not None:
        text = "".join(f"    {line}\n" for line in script.dedented(forward).splitlines())
        yield Change("autocast of torch.cuda.amp", (Replace(forward, f"with torch.cuda.amp.autocast():\n{text}"),), None)
        yield Change("autocast with a type", (Replace(forward, f"with torch.cuda.amp.autocast(dtype=torch.bfloat16):\n{text}"),), None)


def _forward(script: Script, cycle: Cycle) -> ast.stmt | None:
    """The one statement that computes the loss."""
    found = [
        s for s in script.statements(cycle.region) if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == cycle.backwards[0].who
    ]
    return found[0] if len(found) == 1 and found[0].lineno < cycle.backwards[0].stmt.lineno else None


def batchnorm_with_accumulation(script: Script) -> Iterator[Change]:
    """LP009. An accumulating loop trains a model that normalises in its batch; or a loop over such a model is made to accumulate.

    Real where the model that is optimized is the one that gets the layer, and it trains in training mode.
    """
    built = trained_models(script)
    for cycle in cycles(script):
        model = built.get(cycle.optimizer)
        places = constructions(script).get(model or "", [])
        if model is None or len(places) != 1 or cycle.loop is None or f"{model}.eval()" in ast.unparse(cycle.loop):
            continue
        normalised = _normalised(script, places[0][1])
        if _modulus(script, cycle):
            if not any("BatchNorm" in part.source for part in script.program):
                for form, ops in normalised.items():
                    yield Change(form, ops, None)
            continue
        for form, ops, _ in accumulating(script, cycle):
            if any("BatchNorm" in part.source for part in script.program):
                if "BatchNorm" in ast.unparse(places[0][1]) or any("BatchNorm" in ast.unparse(c) for c in _classes(script, places[0][1])):
                    yield Change(f"a loop that is made to accumulate, {form}", ops, None)
            else:
                for layer, more in normalised.items():
                    yield Change(f"{layer}, and a loop that is made to accumulate, {form}", (*ops, *more), None)


def _normalised(script: Script, call: ast.Call) -> dict[str, tuple[Op, ...]]:
    """Ways to give a model a layer that normalises, by how it is built."""
    if callee(call) == "Sequential" and call.args and not isinstance(call.args[0], ast.Starred):
        library = receiver(call)
        given = ", ".join(ast.unparse(a) for a in call.args)
        first = ast.unparse(call.args[0])
        nested = f"{library}.Sequential({first}, {library}.LazyBatchNorm1d())" + "".join(f", {ast.unparse(a)}" for a in call.args[1:])
        return {
            "a layer at the end": (Replace(call, f"{library}.Sequential({given}, {library}.LazyBatchNorm1d())"),),
            "a layer in a nested sequence": (Replace(call, f"{library}.Sequential({nested})"),),
        }
    for cls in _classes(script, call):
        for stmt in script.statements(cls):
            made = isinstance(parent := script.parents[stmt], ast.FunctionDef) and parent.name == "__init__"
            if (
                made
                and isinstance(stmt, ast.Expr)
                and ast.unparse(stmt).startswith("super(")
                and "__init__" in ast.unparse(stmt)
                and imports_torch(script)
            ):
                return {
                    "a layer of a class": (After(stmt, "self.normed = torch.nn.LazyBatchNorm1d()"),),
                    "layers in a list of a class": (
                        After(stmt, "self.normed = torch.nn.ModuleList([torch.nn.BatchNorm2d(8) for _ in range(2)])"),
                    ),
                }
    return {}


def _classes(script: Script, call: ast.Call) -> list[ast.ClassDef]:
    return [n for n in ast.walk(script.tree) if isinstance(n, ast.ClassDef) and n.name == callee(call)]


def accumulation_drops_last_batches(script: Script) -> Iterator[Change]:
    """LL111. The last batch no longer steps by itself; or a loop that steps on each batch is made to accumulate, the rest forgotten."""
    for cycle in cycles(script):
        if cycle.loop is None or not cycle.alone or not _in_epochs(script, cycle.loop):
            continue
        for parent in script.ancestors(cycle.step.stmt):
            if (
                isinstance(parent, ast.If)
                and isinstance(parent.test, ast.BoolOp)
                and isinstance(parent.test.op, ast.Or)
                and parent in script.bodies
            ):
                rest = [v for v in parent.test.values if "len(" not in ast.unparse(v)]
                if len(rest) == 1 and "%" in ast.unparse(rest[0]) and _counts(cycle.loop):
                    yield Change("the last batch forgotten", (Replace(parent.test, ast.unparse(rest[0])),))
        for form, ops, right in accumulating(script, cycle):
            yield Change(form, ops, right)


def _in_epochs(script: Script, loop: Loop) -> bool:
    """Whether a loop goes over batches again and again: steps that are only counted have no epoch whose last batches could be left over."""
    scope = script.scope(loop)
    counted = isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and callee(loop.iter) == "range"
    return not counted and (bool(script.loops(loop)) or (not isinstance(scope, ast.Module) and called_in_loop(script, scope)))


def _counts(loop: ast.AST) -> bool:
    return isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and callee(loop.iter) == "enumerate"


def _modulus(script: Script, cycle: Cycle) -> bool:
    tests = [
        p.test for p in script.ancestors(cycle.step.stmt) if isinstance(p, ast.If) and any(a is cycle.loop for a in script.ancestors(p))
    ]
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) for test in tests for n in ast.walk(test))


def accumulating(script: Script, cycle: Cycle) -> Iterator[tuple[str, tuple[Op, ...], tuple[Op, ...] | None]]:
    """A loop that steps on every batch made to step on every fourth: the form, the edits, and those that also step on the last batch."""
    loop = cycle.loop
    if (
        cycle.scaled
        or not cycle.alone
        or len(cycle.backwards) != 1
        or len(cycle.clears) != 1
        or cycle.clears[0].call is None
        or not isinstance(loop, ast.For)
    ):
        return
    if any("zero_grad" in ast.unparse(f) for name in calls_within(loop) for f in functions(script, name)):
        return
    backward, clear, step = cycle.backwards[0], cycle.clears[0], cycle.step
    call = backward.call
    if (
        not side_by_side(script, backward, clear, step)
        or script.bodies[step.stmt] is not loop.body
        or any(e.kind in ("schedule", "clip") for e in cycle.in_region)
    ):
        return
    if (
        clear.stmt.lineno > backward.stmt.lineno
        and clear.stmt.lineno < step.stmt.lineno
        or call is None
        or call.args
        or not isinstance(call.func, ast.Attribute)
    ):
        return
    if step.stmt is not loop.body[-1] and loop.body.index(step.stmt) - loop.body.index(backward.stmt) != 1:
        return
    used = f"    {script.text(step.stmt)}\n    {script.text(clear.stmt)}\n"
    divided = Replace(call.func.value, f"({script.text(call.func.value)} / {_K})")
    index, source, counted = _counter(script, loop)
    ops: tuple[Op, ...] = (Delete(clear.stmt), divided, *counted)
    last = f"{index} + 1 == len({source})"
    for form, test in (
        ("(i + 1) % k", f"({index} + 1) % {_K} == 0"),
        ("i % k == k - 1", f"{index} % {_K} == {_K - 1}"),
        ("not (i + 1) % k", f"not ({index} + 1) % {_K}"),
    ):
        yield form, (*ops, Replace(step.stmt, f"if {test}:\n{used}")), (*ops, Replace(step.stmt, f"if {test} or {last}:\n{used}"))
    named = Before(loop, f"batches_per_step = {_K}")
    test = f"({index} + 1) % batches_per_step == 0"
    yield (
        "a named k",
        (*ops, named, Replace(step.stmt, f"if {test}:\n{used}")),
        (*ops, named, Replace(step.stmt, f"if {test} or {last}:\n{used}")),
    )
    inverse = f"if ({index} + 1) % {_K} != 0:\n    continue\n{script.text(step.stmt)}\n{script.text(clear.stmt)}"
    if step.stmt is loop.body[-1]:
        yield "a loop that goes on before the step", (*ops, Replace(step.stmt, inverse)), None


def _counter(script: Script, loop: ast.For) -> tuple[str, str, tuple[Op, ...]]:
    """The name that counts the batches of an epoch, what is gone over, and the edits that make it count."""
    source = ast.unparse(loop.iter)
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="enumerate"), args=[inner]), target=ast.Tuple(elts=[ast.Name(id=index), *_])):
            return index, ast.unparse(inner), ()
    return "place", source, (Replace(loop.target, f"place, {_bracketed(loop.target)}"), Replace(loop.iter, f"enumerate({source})"))


def _bracketed(target: ast.expr) -> str:
    text = ast.unparse(target)
    return f"({text.strip('()')})" if isinstance(target, ast.Tuple) else text
