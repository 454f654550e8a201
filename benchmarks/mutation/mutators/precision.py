"""Bugs in mixed precision: LL601 to LL604. The scaler's calls are left out one by one, or all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import CLIPS, callee, receiver
from benchmarks.mutation.script import Before, Delete, Op, Replace, Script


def clip_without_unscale(script: Script) -> Iterator[Change]:
    """LL601. The unscale before a clip is left out, or a scaled loop without a clip gets one that nothing unscales for.

    Real where the unscale (or the scaler's step) stands in one statement list with the clip: the gradients are still scaled on every path.
    """
    for scaler, optimizer, step in _steps(script):
        body = script.bodies[step]
        unscales = [s for s in body if (c := _call(s)) and callee(c) == "unscale_" and receiver(c) == scaler and s.lineno < step.lineno]
        clips = [s for s in body if _clips(s) and s.lineno < step.lineno]
        if len(unscales) == 1 and clips and unscales[0].lineno < clips[0].lineno:
            yield Change("the unscale before the clip left out", (Delete(unscales[0]),))
        model = _model_of(script, optimizer)
        if not unscales and not _any_clip(script) and model is not None and imports_torch(script) and _backward_in(body, scaler, step):
            clip = f"torch.nn.utils.clip_grad_norm_({model}.parameters(), 1.0)"
            yield Change("a new clip without an unscale", (Before(step, clip),), (Before(step, f"{scaler}.unscale_({optimizer})\n{clip}"),))


def missing_scaler_update(script: Script) -> Iterator[Change]:
    """LL602. The update of a scaler that steps in a loop is left out. Real where it is the only update of a scaler in the program."""
    updates = [
        s for part in script.program for s in part.statements() if (c := _call(s)) and callee(c) == "update" and receiver(c) in _names(part)
    ]
    for scaler, _, step in _steps(script):
        own = [s for s in updates if s in script.bodies and receiver(_made(s)) == scaler]
        if len(updates) == 1 and own and _repeated(script, step):
            yield Change("the scaler's update left out", (Delete(own[0]),))


def fp16_without_scaler(script: Script) -> Iterator[Change]:
    """LL603. A scaled loop does without its scaler, or one in bfloat16 computes in float16.

    Real where autocast is always on and the type or the device stands in its call.
    """
    regions = [c for part in script.program for c in part.nodes if isinstance(c, ast.Call) and callee(c) == "autocast"]
    if (
        not regions
        or any("get_scale" in part.source for part in script.program)
        or any(k.arg == "enabled" for c in regions for k in c.keywords)
    ):
        return
    if all("float16" in ast.unparse(c) and "bfloat16" not in ast.unparse(c) for c in regions):
        ops: list[Op] = []
        for stmt in script.statements():
            call = _call(stmt)
            if call is None:
                continue
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="backward")) if callee(inner) == "scale" and receiver(
                    inner
                ) in _names(script):
                    scaled = ast.unparse(inner.args[0])
                    ops.append(Replace(inner, scaled if isinstance(inner.args[0], ast.Name | ast.Attribute | ast.Call) else f"({scaled})"))
                case ast.Call(func=ast.Attribute(attr="step"), args=[optimizer, *_]) if receiver(call) in _names(script):
                    ops.append(Replace(call, f"{ast.unparse(optimizer)}.step()"))
                case ast.Call(func=ast.Attribute(attr="update" | "unscale_")) if receiver(call) in _names(script):
                    ops.append(Delete(stmt))
        if any(isinstance(o, Replace) for o in ops):
            # Without a scaler one computes in bfloat16, which rounds otherwise: nothing ends in the same bits, but the damage must go.
            yield Change("the scaler left out", tuple(ops), None)
    if not any("GradScaler" in part.source for part in script.program):
        for call in (c for c in regions if c in script.parents):
            for given in (*call.args, *(k.value for k in call.keywords)):
                if ast.unparse(given).endswith(".bfloat16"):
                    yield Change("float16 in place of bfloat16", (Replace(given, ast.unparse(given).replace("bfloat16", "float16")),))


def step_bypasses_scaler(script: Script) -> Iterator[Change]:
    """LL604. The optimizer steps itself, past the scaler that has scaled its loss; the scaler is never switched off."""
    for scaler, optimizer, step in _steps(script):
        if _backward_in(script.bodies[step], scaler, step) or _under_guard(script, step, scaler):
            yield Change("the optimizer steps past the scaler", (Replace(_made(step), f"{optimizer}.step()"),))


def _steps(script: Script) -> Iterator[tuple[str, str, ast.stmt]]:
    """The statements `scaler.step(optimizer)`, where no scaler of the program can be switched off."""
    for part in script.program:
        for built in (c for c in part.nodes if isinstance(c, ast.Call) and callee(c) == "GradScaler"):
            if any(k.arg == "enabled" or k.arg is None for k in built.keywords):
                return
    names = _names(script)
    for stmt in script.statements():
        call = _call(stmt)
        if call is not None and callee(call) == "step" and receiver(call) in names and len(call.args) == 1:
            yield receiver(call), ast.unparse(call.args[0]), stmt


def _names(script: Script) -> set[str]:
    """What scales a loss in this file: `s` of `s.scale(loss).backward()`."""
    scaled = (c for c in script.nodes if isinstance(c, ast.Call) and callee(c) == "scale" and len(c.args) == 1)
    return {receiver(c) for c in scaled if "GradScaler" in "".join(part.source for part in script.program)} - {""}


def _call(stmt: ast.stmt) -> ast.Call | None:
    return stmt.value if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) else None


def _made(stmt: ast.stmt) -> ast.Call:
    call = _call(stmt)
    assert call is not None
    return call


def _clips(stmt: ast.stmt) -> bool:
    return any(isinstance(n, ast.Call) and callee(n) in CLIPS for n in ast.walk(stmt))


def _any_clip(script: Script) -> bool:
    return any(callee(n) in CLIPS for part in script.program for n in part.nodes if isinstance(n, ast.Call))


def _backward_in(body: list[ast.stmt], scaler: str, step: ast.stmt) -> bool:
    """Whether the scaled backward stands in the statement list of the step, before it."""
    return any(
        f"{scaler}.scale(" in ast.unparse(s) and ".backward(" in ast.unparse(s)
        for s in body
        if isinstance(s, ast.Expr) and s.lineno < step.lineno
    )


def _under_guard(script: Script, step: ast.stmt, scaler: str) -> bool:
    parent = script.parents[step]
    return (
        isinstance(parent, ast.If) and not parent.orelse and parent in script.bodies and _backward_in(script.bodies[parent], scaler, parent)
    )


def _repeated(script: Script, step: ast.stmt) -> bool:
    return bool(script.loops(step))


def _model_of(script: Script, optimizer: str) -> str | None:
    """`model` of `optimizer = SGD(model.parameters(), ...)`, where both are plain names of one file."""
    for stmt in script.statements():
        match stmt:
            case ast.Assign(targets=[target], value=ast.Call(args=[ast.Call() as first, *_])) if (
                ast.unparse(target) == optimizer and callee(first) == "parameters"
            ):
                return receiver(first)
    return None
