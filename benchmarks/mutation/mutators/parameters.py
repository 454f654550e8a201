"""Bugs of what the optimizer holds: LL501, LL502. The model is moved or changed after the optimizer took its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles, enclosing_top, mentions
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import OPTIMIZERS, built, callee, constructions, receiver, trained_models
from benchmarks.mutation.script import After, Before, Delete, MoveAfter, MoveBefore, Op, Replace, Script

_MOVES = frozenset({"to", "cuda", "cpu", "half", "double", "float", "bfloat16", "type"})


def move_after_optimizer(script: Script) -> Iterator[Change]:
    """LL501. The move of a model is put after the construction of its optimizer, or a move or conversion is added there.

    Real where the optimizer is built once, on `model.parameters()`, in the same statement list and is stepped in the program; the model's
    name is not assigned again between the two. A move is added only to a model that nothing moved before (it would change nothing).
    """
    for model, optimizer in _built_on(script):
        body = script.bodies[optimizer]
        loop = next((s for s in body[body.index(optimizer) + 1 :] if isinstance(s, ast.For | ast.While)), None)
        moved = [s for s in body[: body.index(optimizer)] if _moves(s, model)]
        assigned = [s for s in body[: body.index(optimizer)] if isinstance(s, ast.Assign) and mentions(s.targets[0], model)]
        if len(moved) == 1 and assigned and assigned[-1] in (moved[0], assigned[0]):
            for form, ops in _existing(script, model, moved[0], optimizer, loop):
                yield Change(form, ops)
        yield Change("a new conversion after the optimizer", (After(optimizer, f"{model}.double()"),), None)
        if not _moved_somewhere(script, model):
            yield from _new_moves(script, model, optimizer, loop)


def _new_moves(script: Script, model: str, optimizer: ast.stmt, loop: ast.stmt | None) -> Iterator[Change]:
    yield Change("a new move after the optimizer", (After(optimizer, f'{model}.to("cpu")'),))
    yield Change("a new assigned move after the optimizer", (After(optimizer, f"{model} = {model}.cuda()"),))
    if loop is not None:
        yield Change("a new move before the loop", (Before(loop, f'{model}.to("cpu")'),))
    helper = Before(enclosing_top(script, optimizer), 'def place(net):\n    net.to("cpu")\n    return net\n\n\n')
    yield Change("a new move in a helper", (helper, After(optimizer, f"{model} = place({model})")))


def _moved_somewhere(script: Script, model: str) -> bool:
    """Whether any call of the program may move this model: on its name, on what it is built from, or on a wrapper's result."""
    built_from = [call for _, call in constructions(script).get(model, [])]
    inside = [n for call in built_from for n in ast.walk(call) if isinstance(n, ast.Call) and callee(n) in _MOVES]
    named = [n for n in script.nodes if isinstance(n, ast.Call) and callee(n) in _MOVES and receiver(n) == model]
    return bool(inside or named)


def _built_on(script: Script) -> Iterator[tuple[str, ast.Assign]]:
    """The models with the statement that builds their optimizer: once, and stepped by a cycle of the program."""
    stepped = {c.optimizer for part in script.program for c in cycles(part)}
    models = trained_models(script)
    places = list(built(script, OPTIMIZERS))
    for name, stmt, _ in places:
        alias = not stepped.intersection(n for n, _, _ in places) and len(places) == 1 and bool(stepped)
        if name not in models or sum(n == name for n, _, _ in places) != 1 or not (name in stepped or alias):
            continue
        # A second optimizer on the same model would be hit as well, and the planted bug be two.
        if list(models.values()).count(models[name]) == 1:
            yield models[name], stmt


def _moves(stmt: ast.stmt, model: str) -> bool:
    match stmt:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(targets=[ast.Name() | ast.Attribute()], value=ast.Call() as call):
            target = ast.unparse(stmt.targets[0]) if isinstance(stmt, ast.Assign) else receiver(call)
            return callee(call) in _MOVES and target == model
    return False


def _existing(
    script: Script, model: str, stmt: ast.stmt, optimizer: ast.stmt, loop: ast.stmt | None
) -> Iterator[tuple[str, tuple[Op, ...]]]:
    call = stmt.value if isinstance(stmt, ast.Expr | ast.Assign) else None
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    if ast.unparse(call.func.value) == model:
        yield "the move put after the optimizer", (MoveAfter(stmt, optimizer),)
        if loop is not None:
            yield "the move put before the loop", (MoveBefore(stmt, loop),)
        return
    arguments = ", ".join(
        [
            *map(ast.unparse, call.args),
            *(ast.unparse(k.value) if k.arg is None else f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords),
        ]
    )
    move = f"{model}.{call.func.attr}({arguments})"
    bare = Replace(call, script.text(call.func.value))
    yield "the move split off, after the optimizer", (bare, After(optimizer, move))
    yield "the move split off and assigned, after the optimizer", (bare, After(optimizer, f"{model} = {move}"))
    if loop is not None:
        yield "the move split off, before the loop", (bare, Before(loop, move))


def params_replaced_after_optimizer(script: Script) -> Iterator[Change]:
    """LL502. A layer or parameter of the model is assigned after the optimizer took its parameters.

    Real where the layer exists and its class uses it in `forward` (or it is part of a Sequential), nothing is added to the optimizer
    afterwards, and the optimizer is built once and stepped. Needs `import torch` in the file.
    """
    if "add_param_group" in script.source or not imports_torch(script):
        return
    for model, optimizer in _built_on(script):
        body = script.bodies[optimizer]
        loop = next((s for s in body[body.index(optimizer) + 1 :] if isinstance(s, ast.For | ast.While)), None)
        for stmt in body[: body.index(optimizer)]:
            if (
                isinstance(stmt, ast.Assign)
                and ast.unparse(stmt.targets[0]).startswith((f"{model}.", f"{model}["))
                and isinstance(stmt.value, ast.Call)
            ):
                yield Change("the new layer put after the optimizer", (MoveAfter(stmt, optimizer),))
        for place, layer in _layers(script, model):
            new = f"{model}{place} = torch.nn.{layer}"
            yield Change("a new layer after the optimizer", (After(optimizer, new),), (Before(optimizer, new),))
            if loop is not None:
                # Built later, a layer draws other random numbers: the optimizer goes where the layer is.
                late = (Delete(optimizer), Before(loop, f"{new}\n{script.text(optimizer)}"))
                yield Change("a new layer before the loop", (Before(loop, new),), late)
            weight = f"{model}{place}.weight"
            zeros = f"{weight} = torch.nn.Parameter(torch.zeros_like({weight}))"
            yield Change("a new weight after the optimizer", (After(optimizer, zeros),), (Before(optimizer, zeros),))
            if place.startswith("."):
                helper = Before(enclosing_top(script, optimizer), f"def renew_head(net):\n    net{place} = torch.nn.{layer}\n\n\n")
                renewed = f"renew_head({model})"
                yield Change("a new layer from a helper", (helper, After(optimizer, renewed)), (helper, Before(optimizer, renewed)))
            break


def _layers(script: Script, model: str) -> Iterator[tuple[str, str]]:
    """Linear layers with constant sizes that the model uses: where they stand on it, and how to build one like them."""
    for _, call in constructions(script).get(model, []):
        while isinstance(call.func, ast.Attribute) and call.func.attr in _MOVES and isinstance(call.func.value, ast.Call):
            call = call.func.value
        if callee(call) == "Sequential" and call.args and _linear(call.args[-1]):
            yield "[-1]", _linear(call.args[-1])
        for part in script.program:
            for node in part.tree.body:
                if isinstance(node, ast.ClassDef) and node.name == callee(call):
                    yield from _class_layers(node)


def _class_layers(cls: ast.ClassDef) -> Iterator[tuple[str, str]]:
    methods = {m.name: m for m in cls.body if isinstance(m, ast.FunctionDef)}
    if "__init__" not in methods or "forward" not in methods:
        return
    used = ast.unparse(methods["forward"])
    for stmt in methods["__init__"].body:
        match stmt:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value) if f"self.{name}(" in used:
                if _linear(value):
                    yield f".{name}", _linear(value)


def _linear(node: ast.expr) -> str:
    match node:
        case ast.Call(args=[ast.Constant(value=int()), ast.Constant(value=int())]) if callee(node) == "Linear":
            return f"Linear({', '.join(map(ast.unparse, node.args))})"
    return ""
