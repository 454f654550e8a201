"""Bugs of how data are loaded: LL901, LL903, what the training goes over is not mixed, or mixed once; and LL306, batches that are not read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles, enclosing_top
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import called_in_loop, callee, functions, reaches
from benchmarks.mutation.script import Before, Delete, Loop, Op, Replace, Script

_DATASETS = frozenset({"TensorDataset", "ImageFolder", "MNIST", "FashionMNIST", "CIFAR10", "CIFAR100", "SVHN", "ConcatDataset"})
# What a loader wraps before a loop goes over it.
_WRAPPERS = frozenset({"enumerate", "tqdm", "list", "iter"})
_OWN_ORDER = re.compile(
    r"(?i)seq|series|window|time|stock|shuffle|randint|random\.(sample|choice)|choice\(|sample\(|IterableDataset|hidden|state\b|next\(iter"
)


def train_loader_not_shuffled(script: Script) -> Iterator[Change]:
    """LL901. `shuffle=True` is left out of the loader that is trained on, or the loader comes from a helper that does not know it.

    Real where a loop over that loader backpropagates and steps, in or under an epoch loop, and the dataset is built in the same file of
    samples that have an index and no order in time.
    """
    datasets = [
        ast.unparse(n) for part in script.program for n in part.nodes if isinstance(n, ast.ClassDef) and "__getitem__" in ast.unparse(n)
    ]
    if any(_OWN_ORDER.search(text) for text in datasets):
        return
    for stmt, call in trained_on(script):
        shuffle = next(
            (k for k in call.keywords if k.arg == "shuffle" and isinstance(k.value, ast.Constant) and k.value.value is True), None
        )
        if shuffle is None or not call.args or not _indexed(script, call.args[0]) or any(k.arg is None for k in call.keywords):
            continue
        rest = [k for k in call.keywords if k is not shuffle]
        arguments = ", ".join([*map(ast.unparse, call.args), *(f"{k.arg}={ast.unparse(k.value)}" for k in rest)])
        loader = ast.unparse(call.func)
        yield Change("shuffle left out", (Replace(call, f"{loader}({arguments})"),))
        if isinstance(script.scope(stmt), ast.Module) and loader.count(".") < 1:
            helper = Before(enclosing_top(script, stmt), f"def loader_of(data, **options):\n    return {loader}(data, **options)\n\n\n")
            given = ", ".join([ast.unparse(call.args[0]), *(f"{k.arg}={ast.unparse(k.value)}" for k in rest)])
            if len(call.args) == 1:
                yield Change("a helper that does not shuffle", (helper, Replace(call, f"loader_of({given})")))


def sampler_without_set_epoch(script: Script) -> Iterator[Change]:
    """LL903. The call that sets the epoch of a sampler is removed, or a loader that shuffles is given a distributed sampler whose epoch is not set.

    Real where a loop over that loader backpropagates and steps, in or under an epoch loop that does not build it.
    """
    calls = [s for s in script.statements() if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and callee(s.value) == "set_epoch"]
    if calls:
        if not any("set_epoch" in part.source for part in script.siblings) and script.source.count("set_epoch") == len(calls):
            yield Change("the epoch is not told", tuple(Delete(s) for s in calls))
        return
    if not imports_torch(script) or any(
        "Accelerator" in part.source or "Fabric" in part.source or "set_epoch" in part.source for part in script.program
    ):
        return
    for stmt, call in trained_on(script):
        shuffle = next(
            (k for k in call.keywords if k.arg == "shuffle" and isinstance(k.value, ast.Constant) and k.value.value is True), None
        )
        if shuffle is None or not call.args or not isinstance(call.args[0], ast.Name | ast.Attribute) or script.loops(stmt):
            continue
        data = ast.unparse(call.args[0])
        new = f"torch.utils.data.distributed.DistributedSampler({data}, num_replicas=2, rank=0)"
        announced = tuple(
            Before(loop.body[0], f"{ast.unparse(stmt.targets[0])}.sampler.set_epoch({count})") for loop, count in _epochs_of(script, stmt)
        )
        forms: dict[str, tuple[tuple[Op, ...], str]] = {
            "a sampler inside the call": ((), new),
            "a sampler with a name": ((Before(stmt, f"part_of_data = {new}"),), "part_of_data"),
        }
        for form, (before, given) in forms.items():
            ops = (*before, Replace(shuffle.value, "False"), Replace(call.args[-1], f"{ast.unparse(call.args[-1])}, sampler={given}"))
            yield Change(form, ops, (*ops, *announced) if announced else None)


def _epochs_of(script: Script, built: ast.Assign) -> list[tuple[ast.For, str]]:
    """The loops that count the epochs of a loader where its own name is in reach, with the name of the number; none where that is not plain."""
    name = ast.unparse(built.targets[0])
    trained = [c.loop for c in cycles(script) if c.loop is not None and name in iterated(script, script, c.loop)]
    holders = frozenset(s.name for loop in trained if not isinstance(s := script.scope(loop), ast.Module))
    found = []
    for loop in (s for s in script.statements() if isinstance(s, ast.For) and not script.loops(s) and s not in trained):
        if any(loop in script.loops(inner) for inner in trained) or reaches(script, loop, holders):
            if not isinstance(loop.target, ast.Name) or not (name.startswith("self.") or script.scope(loop) is script.scope(built)):
                return []
            found.append((loop, loop.target.id))
    return found


def trained_on(script: Script) -> Iterator[tuple[ast.Assign, ast.Call]]:
    """The loaders built in this file that a loop of the program trains on in each of its epochs."""
    names = {
        name
        for part in script.program
        for c in cycles(part)
        if c.loop is not None and _repeated(part, c.loop)
        for name in iterated(script, part, c.loop)
    }
    for stmt in script.statements():
        match stmt:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=ast.Call() as call):
                if callee(call) == "DataLoader" and ast.unparse(target) in names and not script.loops(stmt):
                    yield stmt, call


def _repeated(script: Script, loop: Loop) -> bool:
    scope = script.scope(loop)
    return bool(script.loops(loop)) or (not isinstance(scope, ast.Module) and called_in_loop(script, scope))


def iterated(script: Script, part: Script, loop: Loop) -> set[str]:
    """The names of what a loop goes over; of a parameter those that the callers give."""
    if not isinstance(loop, ast.For):
        return set()
    node = loop.iter
    while isinstance(node, ast.Call) and callee(node) in _WRAPPERS and node.args:
        node = node.args[0]
    if not isinstance(node, ast.Name | ast.Attribute):
        return set()
    name, scope = ast.unparse(node), part.scope(loop)
    if not isinstance(scope, ast.Module):
        params = [a.arg for a in scope.args.args]
        if name in params and len(functions(script, scope.name)) == 1:
            return _given(script, scope.name, name, params)
    return {name} if part is script or isinstance(node, ast.Attribute) else set()


def _given(script: Script, function: str, name: str, params: list[str]) -> set[str]:
    found = set()
    for call in (n for n in script.nodes if isinstance(n, ast.Call) and callee(n) == function):
        place = params.index(name) - (params[:1] == ["self"])
        if place < len(call.args):
            found.add(ast.unparse(call.args[place]))
        found |= {ast.unparse(k.value) for k in call.keywords if k.arg == name}
    return found


def _indexed(script: Script, data: ast.expr) -> bool:
    """Whether a dataset is built here of samples that have an index."""
    if isinstance(data, ast.Call):
        own = {n.name for part in script.program for n in part.nodes if isinstance(n, ast.ClassDef) and "def __getitem__" in ast.unparse(n)}
        return callee(data) in _DATASETS or callee(data) in own
    values = [s.value for s in script.statements() if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == ast.unparse(data)]
    return len(values) == 1 and isinstance(values[0], ast.Call) and not _OWN_ORDER.search(ast.unparse(data)) and _indexed(script, values[0])


def validation_batch_unused(script: Script) -> Iterator[Change]:
    """LL306. A validation loop that has the names of the training loop before it gets names of its own, and goes on to read the others.

    Real where both loops stand in one function, and nothing else gives these names a value.
    """
    loops = {node: _batch(node) for node in script.nodes if isinstance(node, ast.For)}
    for loop, batch in loops.items():
        names = [n.id for n in batch.elts if isinstance(n, ast.Name)] if batch is not None else []
        if batch is None or len(names) < 2 or len(names) != len(batch.elts) or re.search(r"\.(backward|step)\(", ast.unparse(loop)):
            continue
        trained = [
            o
            for o, other in loops.items()
            if other is not None
            and ast.unparse(other) == ast.unparse(batch)
            and ".backward(" in ast.unparse(o)
            and (o.end_lineno or 0) < loop.lineno
            and script.scope(o) is script.scope(loop)
        ]
        given = [n.id for n in ast.walk(script.scope(loop)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id in names]
        read = all(re.search(rf"\b{name}\b", ast.unparse(ast.Module(loop.body, []))) for name in names)
        if (
            len(trained) == 1
            and read
            and len(given) == 2 * len(names)
            and not {f"own_{n}" for n in names} & set(re.findall(r"\w+", script.source))
        ):
            own = ", ".join(f"own_{name}" for name in names)
            yield Change("own names that nothing reads", (Replace(batch, own if batch is loop.target else f"({own})"),))


def _batch(loop: ast.For) -> ast.Tuple | None:
    """The names that a loop gives the parts of a batch, without the counter of `enumerate`."""
    match loop.iter, loop.target:
        case ast.Call(func=ast.Name(id="enumerate")), ast.Tuple(elts=[_, ast.Tuple() as batch]):
            return batch
        case ast.Call(func=ast.Name(id="enumerate")), _:
            return None
        case _, ast.Tuple() as batch:
            return batch
    return None
