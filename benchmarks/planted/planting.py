"""The bugs that can be planted in a file: each changes statements that the file has, and names the rules that should then report it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.planted.lines import Text, method, receiver


@dataclass(frozen=True, slots=True)
class Plant:
    """A changed file: the category of the bug, the rules one of which should report it, the row of what was changed, and the text."""

    category: str
    codes: frozenset[str]
    row: int
    text: str


Found = Iterator[tuple[int, str]]
PLANTERS: list[tuple[str, frozenset[str], Callable[[Text], Found]]] = []


def planter(category: str, *codes: str) -> Callable[[Callable[[Text], Found]], Callable[[Text], Found]]:
    def register(function: Callable[[Text], Found]) -> Callable[[Text], Found]:
        PLANTERS.append((category, frozenset(codes), function))
        return function

    return register


def plants(source: str) -> Iterator[Plant]:
    """All bugs that can be planted in a file; texts that are no Python are left out."""
    text = Text(source)
    for category, codes, function in PLANTERS:
        for row, changed in function(text):
            try:
                ast.parse(changed)
            except SyntaxError:
                continue
            if changed != source:
                yield Plant(category, codes, row, changed)


def _cycles(text: Text) -> Iterator[tuple[list[ast.stmt], ast.stmt, ast.stmt, ast.stmt, str]]:
    """Blocks in a loop in which one optimizer is cleared, one loss goes backward and the optimizer steps, each once, by statements of their own."""
    for block in text.blocks:
        clears = [(s, c) for s in block if (c := method(s, "zero_grad")) is not None]
        backwards = [s for s in block if method(s, "backward") is not None]
        steps = [(s, c) for s in block if (c := method(s, "step")) is not None and not c.args and not _is_schedule(receiver(c))]
        if len(clears) != 1 or len(backwards) != 1 or len(steps) != 1 or receiver(clears[0][1]) != receiver(steps[0][1]):
            continue
        clear, backward, step = clears[0][0], backwards[0], steps[0][0]
        if text.in_loop(step) and all(map(text.alone, (clear, backward, step))) and backward.lineno < step.lineno:
            yield block, clear, backward, step, receiver(steps[0][1])


def _is_schedule(name: str) -> bool:
    return any(word in name.lower() for word in ("sched", "env", "lr", "prof", "warm"))


@planter("zero_grad between backward and step", "LL101")
def clear_after_backward(text: Text) -> Found:
    for _, clear, backward, _, _ in _cycles(text):
        if clear.lineno < backward.lineno:
            yield clear.lineno, text.move(clear, backward, after=True)


@planter("no zero_grad", "LL102", "LL109")
def no_clear(text: Text) -> Found:
    for _, clear, _, _, _ in _cycles(text):
        if text.text.count("zero_grad(") == 1 and ".grad = None" not in text.text:
            yield clear.lineno, text.delete(clear)


@planter("step before backward", "LL105", "LL101")
def step_first(text: Text) -> Found:
    for _, clear, backward, step, _ in _cycles(text):
        if clear.lineno < backward.lineno:
            yield step.lineno, text.move(step, backward, after=False)


@planter("no step", "LL106")
def no_step(text: Text) -> Found:
    for _, _, _, step, optimizer in _cycles(text):
        if text.text.count(f"{optimizer}.step(") == 1:
            yield step.lineno, text.delete(step)


@planter("no backward", "LL107")
def no_backward(text: Text) -> Found:
    for _, _, backward, _, _ in _cycles(text):
        if text.text.count("backward(") == 1:
            yield backward.lineno, text.delete(backward)


@planter("retain_graph without need", "LL110")
def retain_graph(text: Text) -> Found:
    for _, _, backward, _, _ in _cycles(text):
        call = method(backward, "backward")
        if call is not None and not call.args and not call.keywords and text.text.count("backward(") == 1:
            yield backward.lineno, text.replace(call, f"{ast.unparse(call.func)}(retain_graph=True)")


def _clips(text: Text) -> Iterator[tuple[ast.stmt, ast.stmt, ast.stmt]]:
    for block, _, backward, step, _ in _cycles(text):
        clips = [s for s in block if isinstance(s, ast.Expr) and "clip_grad_norm" in ast.unparse(s) and text.alone(s)]
        if len(clips) == 1 and backward.lineno < clips[0].lineno < step.lineno:
            yield backward, clips[0], step


@planter("clip before backward", "LL103")
def clip_first(text: Text) -> Found:
    for backward, clip, _ in _clips(text):
        yield clip.lineno, text.move(clip, backward, after=False)


@planter("clip after step", "LL104")
def clip_last(text: Text) -> Found:
    for _, clip, step in _clips(text):
        yield clip.lineno, text.move(clip, step, after=True)


_PER_EPOCH = ("StepLR(", "MultiStepLR(", "CosineAnnealingLR(", "ExponentialLR(")


def _schedules(text: Text) -> Iterator[tuple[ast.stmt, ast.For, str]]:
    """Steps of one of PyTorch's epoch schedulers that follow a loop over batches in the loop over epochs."""
    for block in text.blocks:
        for number, stmt in enumerate(block):
            call = method(stmt, "step")
            if call is None or call.args or not _is_schedule(receiver(call)) or not text.alone(stmt) or not text.in_loop(stmt):
                continue
            inner = [s for s in block[:number] if isinstance(s, ast.For) and "backward(" in ast.unparse(s)]
            made = [line for line in text.lines if receiver(call).split(".")[-1] in line and any(name in line for name in _PER_EPOCH)]
            if len(inner) == 1 and made and text.text.count(f"{receiver(call)}.step(") == 1:
                yield stmt, inner[0], receiver(call)


@planter("epoch scheduler stepped per batch", "LL201")
def schedule_per_batch(text: Text) -> Found:
    for stmt, inner, _ in _schedules(text):
        yield stmt.lineno, text.move(stmt, inner.body[-1], after=True)


@planter("scheduler never stepped", "LL205")
def no_schedule(text: Text) -> Found:
    for stmt, _, _ in _schedules(text):
        yield stmt.lineno, text.delete(stmt)


@planter("scheduler before the epoch's steps", "LL203")
def schedule_first(text: Text) -> Found:
    for stmt, inner, _ in _schedules(text):
        yield stmt.lineno, text.move(stmt, inner, after=False)


def _evaluations(text: Text) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions that by their names validate: they go over data, and nothing in them goes backward."""
    for function in text.functions:
        name = function.name.lower()
        if any(word in name for word in ("eval", "valid", "test")) and not name.startswith("test_"):
            body = ast.unparse(function)
            if "backward(" not in body and any(isinstance(n, ast.For) for n in ast.walk(function)):
                yield function


@planter("validation without eval()", "LL302")
def no_eval(text: Text) -> Found:
    if not any(word in text.text for word in ("Dropout(", "BatchNorm", "resnet", "from_pretrained")):
        return
    for function in _evaluations(text):
        evals = [s for s in ast.walk(function) if (c := method(s, "eval")) is not None and not c.args]
        if len(evals) == 1 and isinstance(evals[0], ast.stmt) and text.alone(evals[0]):
            yield evals[0].lineno, text.delete(evals[0])


@planter("validation without no_grad", "LL303")
def no_no_grad(text: Text) -> Found:
    for function in _evaluations(text):
        if _off_elsewhere(text, function):
            continue
        switches = [n for n in ast.walk(function) if isinstance(n, ast.With) and _is_no_grad(n.items[0].context_expr) and len(n.items) == 1]
        decorated = [d for d in function.decorator_list if _is_no_grad(d)]
        if len(switches) == 1 and not decorated and switches[0].body[0].lineno > switches[0].lineno:
            yield switches[0].lineno, text.dedent_body(switches[0])
        elif not switches and len(decorated) == 1:
            yield decorated[0].lineno, text.drop_line(decorated[0].lineno)


# What Lightning calls with gradients switched off.
_HOOKS = ("validation_step", "test_step", "predict_step")


def _off_elsewhere(text: Text, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether gradients are switched off by what a function calls, or by its callers, as far as names in the file tell: then nothing changes."""
    off = [f for f in text.functions if f is not function and any(map(_is_no_grad, f.decorator_list))]
    inside = [n for n in ast.walk(text.tree) if isinstance(n, ast.With) and any(_is_no_grad(i.context_expr) for i in n.items)]
    called = _called(function)
    around = [n for n in (*off, *inside) if n not in list(ast.walk(function))]
    return function.name in _HOOKS or any(f.name in called for f in off) or any(function.name in _called(n) for n in around)


def _called(node: ast.AST) -> set[str]:
    """The names of what is called in a piece of code, of functions and of methods."""
    return {ast.unparse(n.func).rpartition(".")[2] for n in ast.walk(node) if isinstance(n, ast.Call)}


def _is_no_grad(node: ast.expr) -> bool:
    return any(word in ast.unparse(node) for word in ("no_grad", "inference_mode"))


@planter("dropout that is not told the mode", "LL307")
def always_dropping(text: Text) -> Found:
    built = {ast.unparse(n.func).rpartition(".")[2] for n in ast.walk(text.tree) if isinstance(n, ast.Call)}
    if ".eval()" not in text.text:
        return
    for cls in ast.walk(text.tree):
        if not isinstance(cls, ast.ClassDef) or cls.name not in built:
            continue
        for forward in (m for m in cls.body if isinstance(m, ast.FunctionDef) and m.name == "forward"):
            calls = [n for n in ast.walk(forward) if isinstance(n, ast.Call) and ast.unparse(n.func).endswith((".dropout", ".dropout2d"))]
            told = [c for c in calls if any(k.arg == "training" and ast.unparse(k.value) == "self.training" for k in c.keywords)]
            # Another that asks keeps the method's knowledge of its mode; a rate in a variable may be 0.
            if ast.unparse(forward).count("self.training") == len(told) == 1 and _is_dropping(told[0]):
                kept = [k for k in told[0].keywords if k.arg != "training"]
                yield told[0].lineno, text.replace(told[0], ast.unparse(ast.Call(told[0].func, told[0].args, kept)))


def _is_dropping(call: ast.Call) -> bool:
    """Whether a dropout has a rate above 0 in sight, its own or the default one."""
    rates = [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "p")]
    return all(isinstance(r, ast.Constant) and isinstance(r.value, float) and r.value > 0 for r in rates)


@planter("no train() after validation", "LL301", "LL304")
def no_train(text: Text) -> Found:
    if ".eval()" not in text.text:
        return
    trains = [s for b in text.blocks for s in b if (c := method(s, "train")) is not None and not c.args and not c.keywords]
    evaluated = {receiver(c) for b in text.blocks for s in b if (c := method(s, "eval")) is not None}
    if len(trains) == 1 and text.alone(trains[0]):
        call = method(trains[0], "train")
        if call is not None and receiver(call) in evaluated and _runs_again(text, trains[0]):
            yield trains[0].lineno, text.delete(trains[0])


def _runs_again(text: Text, stmt: ast.stmt) -> bool:
    """Whether a statement runs in a loop, its own or one that calls its function by name: what trains once, before any validation, needs no `train()`."""
    function = next((n for n in text.around(stmt) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)), None)
    if text.in_loop(stmt) or function is None:
        return text.in_loop(stmt)
    calls = [n for n in ast.walk(text.tree) if isinstance(n, ast.Call) and ast.unparse(n.func).rpartition(".")[2] == function.name]
    return any(text.in_loop(call) for call in calls)


@planter("list of losses with their graphs", "LL401")
def kept_losses(text: Text) -> Found:
    for block in text.blocks:
        for stmt in block:
            call = method(stmt, "append")
            if call is not None and len(call.args) == 1 and _trains(text, stmt) and _is_loss_item(call.args[0]):
                assert isinstance(call.args[0], ast.Call) and isinstance(call.args[0].func, ast.Attribute)
                yield stmt.lineno, text.replace(call.args[0], ast.unparse(call.args[0].func.value))


@planter("sum of losses with their graphs", "LL402")
def added_losses(text: Text) -> Found:
    for block in text.blocks:
        for stmt in block:
            if isinstance(stmt, ast.AugAssign) and isinstance(stmt.op, ast.Add) and _trains(text, stmt) and _is_loss_item(stmt.value):
                assert isinstance(stmt.value, ast.Call) and isinstance(stmt.value.func, ast.Attribute)
                yield stmt.lineno, text.replace(stmt.value, ast.unparse(stmt.value.func.value))


def _trains(text: Text, stmt: ast.stmt) -> bool:
    """Whether a statement stands, with gradients on, in a loop that goes backward itself: elsewhere a loss may have no graph."""
    around = list(text.around(stmt))
    loop = next((n for n in around if isinstance(n, ast.For | ast.While)), None)
    if any(isinstance(n, ast.With) and "no_grad" in "".join(map(ast.unparse, n.items)) for n in around):
        return False
    return loop is not None and "backward(" in ast.unparse(loop) and text.in_loop(stmt)


def _is_loss_item(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "item"
        and isinstance(node.func.value, ast.Name)
        and "loss" in node.func.value.id.lower()
        and node.lineno == node.end_lineno
    )


@planter("result of to() thrown away", "LL503")
def discarded(text: Text) -> Found:
    others = _used_as_modules(text) | _with_fields(text)
    for block in text.blocks:
        for stmt in block:
            if not (isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 and text.in_loop(stmt) and text.alone(stmt)):
                continue
            call = stmt.value
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "cuda")):
                continue
            name = stmt.targets[0].id if isinstance(stmt.targets[0], ast.Name) else ""
            if name and name not in others and receiver(call) == name and stmt.lineno == stmt.end_lineno:
                yield stmt.lineno, _without_target(text, stmt)


def _used_as_modules(text: Text) -> set[str]:
    """Names that are called somewhere in the file, asked for what modules have, or said to be modules: those are moved in place."""
    found = {"module", "model", "net"}
    for node in ast.walk(text.tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                found.add(name)
            case ast.Attribute(
                value=ast.Name(id=name), attr="parameters" | "state_dict" | "train" | "eval" | "named_parameters" | "weight"
            ):
                found.add(name)
    return found


# The attributes of a tensor that are no methods, as programs read them.
_OF_TENSORS = frozenset({"T", "data", "device", "dtype", "grad", "is_cuda", "is_leaf", "mT", "ndim", "requires_grad", "shape"})


def _with_fields(text: Text) -> set[str]:
    """Names of objects with fields of their own: the batches of graph libraries (`batch.edge_index`) and of tokenizers change in place, too."""
    called = {id(n.func) for n in ast.walk(text.tree) if isinstance(n, ast.Call)}
    read = (n for n in ast.walk(text.tree) if isinstance(n, ast.Attribute) and id(n) not in called and n.attr not in _OF_TENSORS)
    return {n.value.id for n in read if isinstance(n.value, ast.Name)}


def _without_target(text: Text, stmt: ast.Assign) -> str:
    line = " " * stmt.col_offset + ast.unparse(stmt.value) + "\n"
    return "".join([*text.lines[: stmt.lineno - 1], line, *text.lines[stmt.lineno :]])


@planter("clip of scaled gradients", "LL601")
def no_unscale(text: Text) -> Found:
    for block in text.blocks:
        for stmt in block:
            if method(stmt, "unscale_") is not None and "clip_grad_norm" in "".join(map(ast.unparse, block)) and text.alone(stmt):
                yield stmt.lineno, text.delete(stmt)


@planter("scaler never updated", "LL602")
def no_update(text: Text) -> Found:
    for block in text.blocks:
        for stmt in block:
            call = method(stmt, "update")
            if (
                call is not None
                and not call.args
                and "scaler" in receiver(call)
                and text.text.count(f"{receiver(call)}.update(") == 1
                and text.alone(stmt)
            ):
                yield stmt.lineno, text.delete(stmt)


@planter("step past the scaler", "LL604")
def past_the_scaler(text: Text) -> Found:
    for block in text.blocks:
        for stmt in block:
            call = method(stmt, "step")
            if (
                call is not None
                and "scaler" in receiver(call)
                and len(call.args) == 1
                and isinstance(call.args[0], ast.Name | ast.Attribute)
            ):
                yield stmt.lineno, text.replace(call, f"{ast.unparse(call.args[0])}.step()")


@planter("softmax before the cross-entropy", "LL701")
def softmax_first(text: Text) -> Found:
    criteria = {
        ast.unparse(n.targets[0])
        for n in ast.walk(text.tree)
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call) and ast.unparse(n.value.func).endswith("CrossEntropyLoss")
    }
    for node in ast.walk(text.tree):
        if (
            isinstance(node, ast.Call)
            and node.args
            and isinstance(node.args[0], ast.Name)
            and node.args[0].lineno == node.args[0].end_lineno
        ):
            name = ast.unparse(node.func)
            if (name in criteria or name.endswith("F.cross_entropy")) and text.in_loop(node):
                yield node.lineno, text.replace(node.args[0], f"{node.args[0].id}.softmax(dim=-1)")


@planter("best state not copied", "LL801")
def shared_state(text: Text) -> Found:
    for node in ast.walk(text.tree):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).endswith("deepcopy") and len(node.args) == 1):
            continue
        if ast.unparse(node.args[0]).endswith(".state_dict()") and node.lineno == node.end_lineno and text.in_loop(node):
            yield node.lineno, text.replace(node, ast.unparse(node.args[0]))


@planter("sampler never told the epoch", "LL903")
def no_set_epoch(text: Text) -> Found:
    if "DistributedSampler(" not in text.text:
        return
    for block in text.blocks:
        for stmt in block:
            if method(stmt, "set_epoch") is not None and text.text.count("set_epoch(") == 1 and text.alone(stmt):
                yield stmt.lineno, text.delete(stmt)


@planter("training data not shuffled", "LL901")
def not_shuffled(text: Text) -> Found:
    for node in ast.walk(text.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("DataLoader"):
            shuffles = [
                k for k in node.value.keywords if k.arg == "shuffle" and isinstance(k.value, ast.Constant) and k.value.value is True
            ]
            if shuffles and "train" in ast.unparse(node.targets[0]).lower() and f"in {ast.unparse(node.targets[0])}" in text.text:
                yield node.lineno, text.replace(shuffles[0].value, "False")
