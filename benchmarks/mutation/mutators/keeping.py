"""Bugs of logging: LL401, LL402. A loss is kept or summed with its graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles, mentions
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import Event, callee, events, functions, receiver
from benchmarks.mutation.script import After, Before, Replace, Script

_KEEPERS = frozenset("append appendleft add_scalar add_scalars set_postfix log log_metrics log_scalar".split())
_FREEING = frozenset({"item", "detach", "tolist", "numpy"})
_PASSING = frozenset({"cpu", "mean", "clone", "float"})


def logged_tensor(script: Script) -> Iterator[Change]:
    """LL401. The `.item()`, `.detach()` or `float()` of a value that went backward is dropped where it is appended, logged or shown; or
    a list is added that keeps the loss.

    Real where the name goes backward in the same function, is not assigned in between, and is not only formatted (`f"{loss}"` keeps
    nothing).
    """
    for node, name in _freed(script):
        call = _keeper(script, node)
        if call is not None:
            yield Change(f"{callee(call)} keeps the graph", (Replace(node, name),))
    yield from _returned(script, ("append",))
    for cycle in cycles(script):
        backward = cycle.backwards[-1]
        if cycle.loop is None or not backward.who.isidentifier() or script.loops(backward.stmt)[:1] != [cycle.loop]:
            continue
        loss = backward.who
        for form, start, kept in (
            ("a new list of losses", "kept_losses = []", f"kept_losses.append({loss})"),
            ("a new list, extended with +=", "kept_losses = []", f"kept_losses += [{loss}]"),
            ("a new dict of lists", 'kept = {"loss": []}', f'kept["loss"].append({loss})'),
            ("a new list of pairs", "kept_losses = []", f'kept_losses.append(("train", {loss}))'),
        ):
            yield Change(form, (Before(cycle.loop, start), After(backward.stmt, kept)))


def accumulated_tensor(script: Script) -> Iterator[Change]:
    """LL402. `total += loss.item()` loses its `.item()`; or a running sum of the loss is added.

    Real under the conditions of LL401, in code that a loop repeats, where the sum itself never goes backward.
    """
    backward_names = {e.who for e in events(script) if e.kind == "backward"}
    for node, name in _freed(script):
        stmt = script.statement(node)
        match stmt:
            case ast.AugAssign(op=ast.Add(), target=target) if ast.unparse(target) not in backward_names:
                yield Change("the sum keeps the graph", (Replace(node, name),))
                if ast.unparse(stmt.value) == ast.unparse(node):
                    into = ast.unparse(target)
                    yield Change("total = total + loss", (Replace(stmt, f"{into} = {into} + {name}"),))
            case ast.Assign(targets=[target], value=ast.BinOp(op=ast.Add(), left=left)) if ast.unparse(target) == ast.unparse(left):
                yield Change("the sum keeps the graph", (Replace(node, name),))
    yield from _returned(script, ("+=",))
    for cycle in cycles(script):
        backward = cycle.backwards[-1]
        if cycle.loop is None or not backward.who.isidentifier() or script.loops(backward.stmt)[:1] != [cycle.loop]:
            continue
        yield from _new_sums(backward, cycle.loop)


def _new_sums(backward: Event, loop: ast.stmt) -> Iterator[Change]:
    for form, start, added in (
        ("a new running sum", "summed_loss = 0.0", f"summed_loss += {backward.who}"),
        ("a new running sum, written out", "summed_loss = 0.0", f"summed_loss = summed_loss + {backward.who}"),
        ("a new sum in a dict", 'sums = {"loss": 0.0}', f'sums["loss"] += {backward.who}'),
        ("a new weighted sum", "summed_loss = 0.0", f"summed_loss += {backward.who} * 2"),
    ):
        yield Change(form, (Before(loop, start), After(backward.stmt, added)))


def _freed(script: Script) -> Iterator[tuple[ast.expr, str]]:
    """`loss.item()` and the like of a name that goes backward in the same function, outside of formatted text."""
    backwards = [e for e in events(script) if e.kind == "backward"]
    for node in script.nodes:
        if not isinstance(node, ast.Call):
            continue
        name, freed = _chain(node)
        parent = script.parents[node]
        if not freed or name is None or (isinstance(parent, ast.Attribute) and parent.attr in _FREEING | _PASSING):
            continue
        scope = script.scope(node)
        mates = [e for e in backwards if e.who == name and script.scope(e.stmt) is scope]
        if any(_same_value(script, name, e.stmt, script.statement(node)) for e in mates) and not _formatted(script, node):
            yield node, name


def _same_value(script: Script, name: str, backward: ast.stmt, use: ast.stmt) -> bool:
    """Whether the name has one value at a backward and at a use, before or after it in the text."""
    first, last = sorted((backward, use), key=lambda s: s.lineno)
    return first is not last and not _reassigned(script, name, first, last)


def _chain(node: ast.expr) -> tuple[str | None, bool]:
    """The name under `name.detach().cpu()`, `float(name)`, and whether the calls on it drop the graph."""
    name: str | None
    match node:
        case ast.Name(id=plain):
            return plain, False
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return f"self.{attr}", False
        case ast.Call(func=ast.Name(id="float"), args=[inner]):
            name, _ = _chain(inner)
            return name, name is not None
        case ast.Call(func=ast.Attribute(value=inner, attr=attr), args=[], keywords=[]) if attr in _FREEING | _PASSING:
            name, freed = _chain(inner)
            return name, freed or attr in _FREEING
    return None, False


def _reassigned(script: Script, name: str, first: ast.stmt, last: ast.stmt) -> bool:
    for stmt in script.statements(script.scope(first)):
        between = first.lineno < stmt.lineno < last.lineno
        if between and isinstance(stmt, ast.Assign) and any(mentions(target, name) for target in stmt.targets):
            return True
    return False


def _formatted(script: Script, node: ast.AST) -> bool:
    for parent in script.ancestors(node):
        if isinstance(parent, ast.stmt):
            return False
        if isinstance(parent, ast.JoinedStr) or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod)):
            return True
        if isinstance(parent, ast.Call) and callee(parent) in ("format", "print", "round", "str", "int", "exp"):
            return True
        if isinstance(parent, ast.With) and "no_grad" in ast.unparse(parent.items[0]):
            return True
    return False


def _keeper(script: Script, node: ast.AST) -> ast.Call | None:
    """The logging call that a value is handed to, directly or inside a tuple, dict or product."""
    for parent in script.ancestors(node):
        if isinstance(parent, ast.stmt):
            return None
        if isinstance(parent, ast.Call):
            if callee(parent) in _KEEPERS and receiver(parent) not in ("", "math", "np", "torch", "logging"):
                return parent
            return None
    return None


def _returned(script: Script, uses: tuple[str, ...]) -> Iterator[Change]:
    """`return loss.item()` of a training step whose result its caller appends or sums, without the `.item()`."""
    for node, name in _freed(script):
        stmt, scope = script.statement(node), script.scope(node)
        if not isinstance(stmt, ast.Return) or stmt.value is not node or not isinstance(scope, ast.FunctionDef):
            continue
        if len(functions(script, scope.name)) != 1:
            continue
        calls = [(p, n) for p in script.program for n in ast.walk(p.tree) if isinstance(n, ast.Call) and callee(n) == scope.name]
        if len(calls) == 1 and _use(*calls[0]) in uses:
            yield Change(f"the returned loss keeps its graph ({_use(*calls[0])})", (Replace(node, name),))


def _use(script: Script, call: ast.Call) -> str:
    """How a call's result is used at once, in a loop."""
    parent = script.parents[call]
    if not script.loops(call):
        return ""
    if isinstance(parent, ast.AugAssign) and isinstance(parent.op, ast.Add):
        return "+="
    if isinstance(parent, ast.Call) and callee(parent) == "append":
        return "append"
    return ""
