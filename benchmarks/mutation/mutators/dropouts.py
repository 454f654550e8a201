"""Bugs of functional dropouts: LL307. A dropout that does not ask for the mode of its module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import callee, events
from benchmarks.mutation.script import Replace, Script

_FUNCTIONAL = re.compile(r"(F|functional)\.dropout[123]?d?$")
_ON_PURPOSE = re.compile(r"prenet|noise|monte|mc_|sample|bayes", re.IGNORECASE)


def dropout_in_eval_mode(script: Script) -> Iterator[Change]:
    """LL307. A dropout layer becomes a functional dropout at its rate, one that asks for the mode no longer does, or a new one does not ask.

    Real where the dropout stands in the forward of a class of which the program builds a model that it puts into eval mode, and neither
    the class nor the forward has anything of its own to do with modes. Programs that switch dropout on in eval mode sample on purpose.
    """
    if any("enable_dropout" in part.source for part in script.program):
        return
    for node in script.nodes:
        if not isinstance(node, ast.ClassDef) or node.name not in _evaluated(script) or _ON_PURPOSE.search(node.name):
            continue
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        forward = methods.get("forward")
        if forward is None or "train" in methods or "eval" in methods or not forward.args.args or _ON_PURPOSE.search(ast.unparse(forward)):
            continue
        yield from _changes(script, node, forward)


def _changes(script: Script, cls: ast.ClassDef, forward: ast.FunctionDef) -> Iterator[Change]:
    own = forward.args.args[0].arg
    mode = f"{own}.training"
    asks = [n for n in ast.walk(forward) if isinstance(n, ast.Attribute) and ast.unparse(n) == mode]
    told = [c for c in _calls(forward) if _FUNCTIONAL.search(ast.unparse(c.func)) and any(ast.unparse(k.value) == mode for k in c.keywords)]
    if len(asks) == len(told) == 1:
        yield Change("a dropout that is not told the mode", (Replace(told[0], _without_training(told[0])),))
    if asks or "torch" not in _imported(script):
        return
    layers = _dropouts(cls)
    for call in _calls(forward):
        if len(call.args) == 1 and not call.keywords and (rate := layers.get(ast.unparse(call.func))) is not None:
            inner = ast.unparse(call.args[0])
            yield Change("a layer replaced by a function", (Replace(call, f"torch.nn.functional.dropout({inner}, {rate})"),))
            owned = f"torch.nn.functional.dropout({inner}, {ast.unparse(call.func)}.p)"
            yield Change("a layer replaced by a function at its rate", (Replace(call, owned),))
    last = forward.body[-1]
    match last:
        case ast.Return(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[ast.expr() as given], keywords=[])) if (
            name == own
        ):
            dropped = f"torch.nn.functional.dropout({ast.unparse(given)}, 0.2"
            planted, right = Replace(given, f"{dropped})"), Replace(given, f"{dropped}, training={mode})")
            yield Change("the input of the last layer dropped", (planted,), (right,))


def _evaluated(script: Script) -> set[str]:
    """The classes of which the program builds something under a name that it puts into eval mode."""
    names = {e.who for part in script.program for e in events(part) if e.kind == "eval"}
    found = set()
    for part in script.program:
        for stmt in part.statements():
            if isinstance(stmt, ast.Assign) and any(ast.unparse(t) in names for t in stmt.targets):
                found |= {callee(c) for c in ast.walk(stmt.value) if isinstance(c, ast.Call)}
    return found


def _calls(function: ast.FunctionDef) -> list[ast.Call]:
    return [n for n in ast.walk(function) if isinstance(n, ast.Call)]


def _without_training(call: ast.Call) -> str:
    kept = [k for k in call.keywords if k.arg != "training"]
    return ast.unparse(ast.Call(func=call.func, args=call.args, keywords=kept))


def _dropouts(cls: ast.ClassDef) -> dict[str, str]:
    """The dropout layers that the class gives itself, each with its rate above 0, as it is called: `self.drop`."""
    found = {}
    for stmt in ast.walk(cls):
        match stmt:
            case ast.Assign(targets=[ast.Attribute() as target], value=ast.Call(args=[ast.Constant(value=float() as rate)]) as call):
                if callee(call) == "Dropout" and rate > 0:
                    found[ast.unparse(target)] = str(rate)
    return found


def _imported(script: Script) -> set[str]:
    return {a.asname or a.name for n in script.tree.body if isinstance(n, ast.Import) for a in n.names}
