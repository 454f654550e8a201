"""Bugs in what losses are given: LL701 to LL703. An activation is applied before a loss that applies it, or left out before one that does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import callee, constructions, receiver
from benchmarks.mutation.script import Before, Op, Replace, Script

_LAYERS = ("Linear", "Conv1d", "Conv2d", "Conv3d")
_CONFUSED = {"BCEWithLogitsLoss": "BCELoss", "binary_cross_entropy_with_logits": "binary_cross_entropy"}


def softmax_before_cross_entropy(script: Script) -> Iterator[Change]:
    """LL701. A softmax at the loss, under the prediction's name, as the last layer, or in the forward."""
    yield from _activated(script, ("CrossEntropyLoss", "cross_entropy"), "softmax", "Softmax", "dim=1")


def sigmoid_before_bce_with_logits(script: Script) -> Iterator[Change]:
    """LL702. A sigmoid at the loss, under the prediction's name, as the last layer, or in the forward."""
    yield from _activated(script, tuple(_CONFUSED), "sigmoid", "Sigmoid", "")


def bce_on_logits(script: Script) -> Iterator[Change]:
    """LL703. The loss on logits becomes the one on probabilities, or the sigmoid before that one is left out.

    Real where the text shows that the prediction comes straight out of a layer.
    """
    for call in _losses(script, tuple(_CONFUSED)):
        if call.args and _layered(script, call.args[0]):
            for built in _built(script, call):
                name = built.func.attr if isinstance(built.func, ast.Attribute) else ""
                if (
                    name in _CONFUSED
                    and len(_losses_of(script, built, call)) == 1
                    and not any(k.arg == "pos_weight" for k in (*built.keywords, *call.keywords))
                ):
                    yield Change("the loss on probabilities", (Replace(built.func, f"{receiver(built)}.{_CONFUSED[name]}"),))
    for call in _losses(script, ("BCELoss", "binary_cross_entropy")):
        match call.args[:1]:
            case [ast.Call(args=[inner]) as first] if callee(first) == "sigmoid" and _layered(script, inner):
                bare = Replace(first, ast.unparse(inner))
                yield Change("the sigmoid at the loss left out", (bare,), _on_logits(script, call, bare))
            case [given]:
                for sequence in _sequences_behind(script, given):
                    *_, before, last = [ast.unparse(a.func) for a in sequence.args if isinstance(a, ast.Call)]
                    if last.endswith("Sigmoid") and before.endswith(_LAYERS):
                        text = ", ".join(ast.unparse(a) for a in sequence.args[:-1])
                        bare = Replace(sequence, f"{ast.unparse(sequence.func)}({text})")
                        yield Change("the last layer's sigmoid left out", (bare,), _on_logits(script, call, bare))


def _on_logits(script: Script, call: ast.Call, bare: Replace) -> tuple[Op, ...] | None:
    """The loss on logits, which rounds otherwise than a sigmoid and the loss on probabilities: what an expert writes where no sigmoid is."""
    named = {probabilities: logits for logits, probabilities in _CONFUSED.items()}
    places = _built(script, call)
    if not places or not all(isinstance(b.func, ast.Attribute) and b.func.attr in named for b in places):
        return None
    return (bare, *(Replace(b.func, f"{receiver(b)}.{named[callee(b)]}") for b in places))


def _activated(script: Script, losses: tuple[str, ...], function: str, layer: str, dim: str) -> Iterator[Change]:
    """Real wherever it stands, unless the program does it already: the loss applies the function again."""
    if any(f".{layer}(" in part.source for part in script.program):
        return
    for call in _losses(script, losses):
        if not call.args or any(isinstance(n, ast.Call) and callee(n) == function for n in ast.walk(call.args[0])):
            continue
        given, text = call.args[0], ast.unparse(call.args[0])
        if imports_torch(script):
            inside = f"{text}, {dim}" if dim else text
            yield Change(f"torch.{function} at the loss", (Replace(given, f"torch.{function}({inside})"),))
        if isinstance(given, ast.Name | ast.Call | ast.Attribute | ast.Subscript):
            yield Change(f".{function}() at the loss", (Replace(given, f"{text}.{function}({dim})"),))
        if isinstance(given, ast.Name):
            yield Change(f"{function} under the prediction's name", (Before(script.statement(call), f"{text} = {text}.{function}({dim})"),))
        for sequence in _sequences_behind(script, given):
            prefix = ast.unparse(sequence.func).removesuffix("Sequential")
            last = sequence.args[-1]
            if isinstance(last, ast.Call) and callee(last) in _LAYERS:
                yield Change(f"{layer} as the last layer", (Replace(last, f"{ast.unparse(last)}, {prefix}{layer}({dim})"),))
        for returned in _returns_behind(script, given):
            if imports_torch(script) and returned.value is not None and not isinstance(returned.value, ast.Tuple | ast.Dict):
                value = ast.unparse(returned.value)
                yield Change(
                    f"{function} in the forward",
                    (Replace(returned.value, f"torch.{function}({value}, {dim})" if dim else f"torch.{function}({value})"),),
                )


def _losses(script: Script, names: tuple[str, ...]) -> Iterator[ast.Call]:
    """The calls of a loss: the function of torch, or a name that only ever holds the class."""
    built = {name for name, calls in constructions(script).items() if calls and all(callee(c) in names for _, c in calls)}
    for node in script.nodes:
        if (
            isinstance(node, ast.Call)
            and len(node.args) > 1
            and (ast.unparse(node.func) in built or (callee(node) in names and callee(node)[0].islower()))
        ):
            yield node


def _built(script: Script, call: ast.Call) -> list[ast.Call]:
    """The construction of the loss that is called, or the call of the function itself."""
    made = [c for _, c in constructions(script).get(ast.unparse(call.func), [])]
    return made if len(made) == 1 else [call] if not made else []


def _losses_of(script: Script, built: ast.Call, call: ast.Call) -> list[ast.Call]:
    if built is call:
        return [call]
    return [n for n in script.nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == ast.unparse(call.func)]


def _model_behind(script: Script, given: ast.expr) -> str | None:
    """`model` of `loss(model(x), y)`, or of the one `out = model(x)` in the same function."""
    if isinstance(given, ast.Name):
        scope = script.scope(given)
        made = [s.value for s in ast.walk(scope) if isinstance(s, ast.Assign) and any(given.id in _names_in(t) for t in s.targets)]
        if len(made) != 1:
            return None
        given = made[0]
    if isinstance(given, ast.Call) and isinstance(given.func, ast.Name | ast.Attribute):
        return ast.unparse(given.func)
    return None


def _names_in(node: ast.expr) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _sequences_behind(script: Script, given: ast.expr) -> list[ast.Call]:
    """The nn.Sequential that makes a prediction, if it is built in this file once, from layers written out."""
    made = constructions(script).get(_model_behind(script, given) or "", [])
    found = [
        c
        for _, c in made
        if callee(c) == "Sequential"
        and len(c.args) > 1
        and not any(isinstance(a, ast.Starred) or not isinstance(a, ast.Call) for a in c.args)
    ]
    return found if len(made) == 1 else []


def _returns_behind(script: Script, given: ast.expr) -> list[ast.Return]:
    """The one return of the forward of the class that makes a prediction, if that class stands in this file."""
    made = constructions(script).get(_model_behind(script, given) or "", [])
    if len(made) != 1:
        return []
    for cls in (c for c in script.nodes if isinstance(c, ast.ClassDef) and c.name == callee(made[0][1])):
        for method in (m for m in cls.body if isinstance(m, ast.FunctionDef) and m.name == "forward"):
            found = [n for n in ast.walk(method) if isinstance(n, ast.Return)]
            return found if len(found) == 1 else []
    return []


def _layered(script: Script, given: ast.expr) -> bool:
    """Whether a prediction comes straight out of a layer, for all to see."""
    if any(callee(last) in _LAYERS for s in _sequences_behind(script, given) if isinstance(last := s.args[-1], ast.Call)):
        return True
    made = constructions(script).get(_model_behind(script, given) or "", [])
    if len(made) == 1 and callee(made[0][1]) in _LAYERS:
        return True
    for returned in _returns_behind(script, given):
        value = returned.value
        if (
            isinstance(value, ast.Call)
            and (own := constructions(script).get(ast.unparse(value.func)))
            and all(callee(c) in _LAYERS for _, c in own)
        ):
            return True
    return False
