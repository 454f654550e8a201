"""Bugs in and around modules: LL503 to LL506. Results are dropped, forwards called by name, parts hidden, constructors not called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import callee, constructions, models, receiver, trained_models
from benchmarks.mutation.script import After, Before, Delete, MoveAfter, Op, Replace, Script

_MOVES = frozenset({"to", "cuda", "cpu", "half", "double", "float"})
_LAYERS = frozenset("Linear Conv1d Conv2d Conv3d BatchNorm1d BatchNorm2d LayerNorm Embedding LSTM GRU ConvTranspose2d".split())
_CONTAINERS = {"ModuleList": (ast.List, ast.ListComp), "ModuleDict": (ast.Dict, ast.DictComp)}


def discarded_to(script: Script) -> Iterator[Change]:
    """LL503. The assignment of a moved batch is dropped, or a conversion is added whose result is not used.

    Real where the name is a target of the loop and goes into a model's call: a tensor, which no conversion changes in place.
    """
    known = models(script)
    for loop in (n for n in script.nodes if isinstance(n, ast.For)):
        names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        fed = {
            n.args[0].id for n in ast.walk(loop) if isinstance(n, ast.Call) and _is_call_of(n, known) and isinstance(n.args[0], ast.Name)
        }
        for stmt in loop.body:
            if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and _moves_itself(stmt.targets[0], stmt.value, names & fed):
                text = ast.unparse(stmt.value)
                bare = text[1:-1] if isinstance(stmt.value, ast.Tuple) else text
                yield Change("the assignment of a move dropped", (Replace(stmt, bare),))
        for name in sorted(names & fed):
            for conversion in ("double", "float"):
                dropped, taken = (Before(loop.body[0], text) for text in (f"{name}.{conversion}()", f"{name} = {name}.{conversion}()"))
                yield Change(f"a {conversion}() whose result is not used", (dropped,), (taken,))


def _is_call_of(call: ast.Call, names: set[str]) -> bool:
    return bool(call.args) and isinstance(call.func, ast.Name | ast.Attribute) and ast.unparse(call.func) in names


def _moves_itself(target: ast.expr, value: ast.expr, names: set[str]) -> bool:
    """`x = x.to(d)`, `x, y = x.to(d), y.to(d)`, of names one of which goes into the model."""
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            pairs = list(zip(targets, values, strict=True))
        case _:
            pairs = [(target, value)]
    same = all(isinstance(v, ast.Call) and callee(v) in _MOVES and receiver(v) == ast.unparse(t) for t, v in pairs)
    return same and any(ast.unparse(t) in names for t, _ in pairs)


def forward_called_directly(script: Script) -> Iterator[Change]:
    """LL504. `model(x)` becomes `model.forward(x)`, in the loop and inside other modules.

    Real for a model that an optimizer of the program was built on, and for a layer of torch that a class assigns to itself.
    """
    trained = {m for m in trained_models(script).values() if _is_module(script, m)}
    for cycle in cycles(script):
        for call in (n for n in ast.walk(cycle.region) if isinstance(n, ast.Call) and _is_call_of(n, trained)):
            yield Change("the model's forward called", (Replace(call.func, f"{ast.unparse(call.func)}.forward"),))
    for cls in _modules(script):
        layers = {f"self.{name}" for name, _ in _parts(cls)}
        for call in (n for m in _methods(cls, "forward") for n in ast.walk(m) if isinstance(n, ast.Call) and _is_call_of(n, layers)):
            yield Change("a layer's forward called", (Replace(call.func, f"{ast.unparse(call.func)}.forward"),))
            break


def _is_module(script: Script, model: str) -> bool:
    """Whether no class of the program that may not be a module is what the model is built from."""
    other = {c.name for part in script.program for c in part.nodes if isinstance(c, ast.ClassDef)} - {c.name for c in _modules(script)}
    return not any(callee(call) in other for _, call in constructions(script).get(model, []))


def unregistered_submodules(script: Script) -> Iterator[Change]:
    """LL505. A ModuleList or ModuleDict becomes a plain one, or two layers move into a list, a tuple or a dict.

    Real where the container's parts are built in place, the class uses them, and nothing else of it names the container.
    """
    for cls in _modules(script):
        inits = _methods(cls, "__init__")
        used = "\n".join(ast.unparse(m) for m in cls.body if isinstance(m, ast.FunctionDef) and m.name != "__init__")
        for stmt in inits[0].body if inits else []:
            match stmt:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call(args=[inner]) as call):
                    if (
                        isinstance(inner, _CONTAINERS.get(callee(call), ()))
                        and _holds_layers(inner)
                        and re.search(rf"self\.{name}\b", used)
                        and _count(cls, name) == 1 + _count_in(used, name)
                    ):
                        yield Change(f"{callee(call)} made plain", (Replace(call, ast.unparse(inner)),))
        yield from _two_layers(script, cls, used)


def _holds_layers(node: ast.AST) -> bool:
    """Whether something with parameters is built in a container."""
    return any(isinstance(n, ast.Call) and callee(n) in _LAYERS for n in ast.walk(node))


def _two_layers(script: Script, cls: ast.ClassDef, used: str) -> Iterator[Change]:
    parts = _parts(cls)
    uses = {
        name: [n for m in cls.body for n in ast.walk(m) if isinstance(n, ast.Attribute) and ast.unparse(n) == f"self.{name}"]
        for name, _ in parts
    }
    for (one, first), (two, second) in zip(parts, parts[1:], strict=False):
        called = all(len(uses[n]) == 2 and re.search(rf"self\.{n}\(", used) for n in (one, two))
        values = [s.value for s in (first, second) if isinstance(s, ast.Assign)]
        if not called or first is second or "hidden" in used or any("self." in ast.unparse(v) for v in values):
            continue
        text = [ast.unparse(v) for v in values]
        for form, made, keys in (
            ("a list", f"[{text[0]}, {text[1]}]", ("0", "1")),
            ("a tuple", f"({text[0]}, {text[1]})", ("0", "1")),
            ("a dict", f'{{"{one}": {text[0]}, "{two}": {text[1]}}}', (f'"{one}"', f'"{two}"')),
        ):
            calls = tuple(Replace(uses[n][1], f"self.hidden[{key}]") for n, key in zip((one, two), keys, strict=True))
            registered = f"torch.nn.ModuleDict({made})" if form == "a dict" else f"torch.nn.ModuleList({made})"
            shared: tuple[Op, ...] = (Delete(first), *calls)
            plain, known = (Replace(second, f"self.hidden = {value}") for value in (made, registered))
            yield Change(f"two layers kept in {form}", (*shared, plain), (*shared, known) if imports_torch(script) else None)
        indexed = tuple(Replace(uses[n][1], f"self.hidden[{i}]") for i, n in enumerate((one, two)))
        rest = (Replace(second, f"self.hidden.append({text[1]})"), *indexed)
        ops, right = (
            (Replace(first, f"self.hidden = {start}\nself.hidden.append({text[0]})"), *rest) for start in ("[]", "torch.nn.ModuleList()")
        )
        yield Change("two layers appended to a list", ops, right if imports_torch(script) else None)
        return


def missing_super_init(script: Script) -> Iterator[Change]:
    """LL506. The call of the base class's constructor is deleted, put last, or loses its parentheses.

    Real where the only base is nn.Module and the constructor assigns a layer to `self` after the call.
    """
    for cls in _modules(script):
        inits = _methods(cls, "__init__")
        body = inits[0].body if inits else []
        call = next((s for s in body if isinstance(s, ast.Expr) and re.fullmatch(r"super\(.*\)\.__init__\(\)", ast.unparse(s))), None)
        parts = [s for _, s in _parts(cls)]
        if call is None or not parts or any(p.lineno < call.lineno for p in parts):
            continue
        yield Change("the call deleted", (Delete(call),))
        yield Change("the call put after the first part", (MoveAfter(call, parts[0]),))
        if body[-1] not in (call, parts[0]) and not isinstance(body[-1], ast.Return):
            yield Change("the call put last", (Delete(call), After(body[-1], ast.unparse(call))))
        yield Change("the constructor named, not called", (Replace(call, ast.unparse(call)[:-2]),))


def _modules(script: Script) -> list[ast.ClassDef]:
    """The classes whose only base is nn.Module."""
    classes = [n for n in script.nodes if isinstance(n, ast.ClassDef)]
    return [c for c in classes if [ast.unparse(b) for b in c.bases] in (["nn.Module"], ["torch.nn.Module"], ["Module"])]


def _methods(cls: ast.ClassDef, name: str) -> list[ast.FunctionDef]:
    return [m for m in cls.body if isinstance(m, ast.FunctionDef) and m.name == name]


def _parts(cls: ast.ClassDef) -> list[tuple[str, ast.stmt]]:
    """The layers of torch that the constructor assigns to `self`, as statements of its own body."""
    found: list[tuple[str, ast.stmt]] = []
    for init in _methods(cls, "__init__"):
        for stmt in init.body:
            match stmt:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call() as call) if (
                    callee(call) in _LAYERS
                ):
                    found.append((name, stmt))
    return found


def _count(cls: ast.ClassDef, name: str) -> int:
    return _count_in(ast.unparse(cls), name)


def _count_in(text: str, name: str) -> int:
    return len(re.findall(rf"self\.{name}\b", text))
