"""Bugs of what is kept and restored: LL801, LL802, LL803, LL804; and LL902, two switches that exclude each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import OPTIMIZERS, built, callee, receiver, trained_models
from benchmarks.mutation.script import After, Before, Delete, Loop, Replace, Script

_FILE = "earlier_run.pt"
_COUNTS = re.compile(r"range\((?:\d+, )?[\w.]+(?: \+ 1)?\)")


def best_state_not_copied(script: Script) -> Iterator[Change]:
    """LL801. A deep copy of a kept state is taken away; or the state of an early epoch is kept as it is and restored at the end.

    Real where the model is stepped in an epoch loop of the function that holds it, and the state is given back to it after that loop.
    """
    restored = "load_state_dict" in script.source
    for node in script.nodes:
        if (
            restored
            and isinstance(node, ast.Call)
            and callee(node) == "deepcopy"
            and len(node.args) == 1
            and _is_state(node.args[0])
            and script.loops(node)
        ):
            yield Change("the copy taken away", (Replace(node, script.text(node.args[0])),))
    if any(n in part.source for part in script.program for n in ("load_state_dict", "state_dict(")):
        return
    for model, _, loop in _trained_here(script):
        if isinstance(loop.target, ast.Name) and not isinstance(loop.body[-1], ast.Return | ast.Break | ast.Continue):
            once, state = f"if {loop.target.id} == 1:\n    ", f"{model}.state_dict()"
            copied = f'__import__("copy").deepcopy({state})'
            plain = [After(loop.body[-1], f"{once}kept_weights = {kept}") for kept in (state, copied)]
            restored_plain = After(loop, f"{model}.load_state_dict(kept_weights)")
            yield Change("a state kept as it is", (plain[0], restored_plain), (plain[1], restored_plain))
            paired = [After(loop.body[-1], f'{once}kept = {{"epoch": {loop.target.id}, "weights": {kept}}}') for kept in (state, copied)]
            restored_pair = After(loop, f'{model}.load_state_dict(kept["weights"])')
            yield Change("a state kept in a dict", (paired[0], restored_pair), (paired[1], restored_pair))


def resume_without_optimizer_state(script: Script) -> Iterator[Change]:
    """LL802. The optimizer is no longer restored, or a resume of model and epoch is put before the epoch loop.

    Real where the optimizer has a state, is built before that loop in the same function, and nothing else restores anything.
    """
    loads = [
        s for s in script.statements() if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and callee(s.value) == "load_state_dict"
    ]
    if loads:
        stateful = {name for name, stmt, call in built(script, OPTIMIZERS) if _keeps_state(call)}
        gone = [s for s in loads if isinstance(s.value, ast.Call) and receiver(s.value) in stateful]
        if len(gone) == 1 and len(loads) > 1 and re.search(r"start_?(epoch|step)", script.source):
            yield Change("the optimizer is not restored", (Delete(gone[0]),))
        return
    if not imports_torch(script) or any("torch.load" in part.source for part in script.program):
        return
    for model, optimizer, loop in _trained_here(script):
        call = next(c for n, s, c in built(script, OPTIMIZERS) if s is optimizer)
        if not _keeps_state(call) or not isinstance(loop.iter, ast.Call) or not _COUNTS.fullmatch(ast.unparse(loop.iter)):
            continue
        end = ast.unparse(loop.iter.args[-1])
        read = f'checkpoint = torch.load("{_FILE}", map_location="cpu")\n{model}.load_state_dict(checkpoint["model"])\n'
        count = Replace(loop.iter, f"range(start_epoch, {end})")
        yield Change("a resume of the model", (Before(loop, f'{read}start_epoch = checkpoint["epoch"] + 1'), count))
        guarded = f'start_epoch = 0\nif __import__("os").path.exists("{_FILE}"):\n' + "".join(f"    {line}\n" for line in read.splitlines())
        yield Change("a resume where there is a file", (Before(loop, f'{guarded}    start_epoch = checkpoint["epoch"] + 1'), count))


def load_without_map_location(script: Script) -> Iterator[Change]:
    """LL803. `map_location` is left out of what restores a state, or weights of an earlier run are loaded without it.

    Real where the program takes a device by what the machine has, moves the model there, and has not saved the file before; where it names
    no device at all, such a choice is planted with it.
    """
    saved = any("torch.save" in part.source for part in script.program)
    for node in script.nodes:
        if not isinstance(node, ast.Call) or ast.unparse(node.func) != "torch.load" or saved:
            continue
        placed = [k for k in node.keywords if k.arg == "map_location"]
        if placed and any("is_available()" in part.source for part in script.program):
            rest = [*map(ast.unparse, node.args), *(f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords if k not in placed)]
            yield Change("map_location left out", (Replace(node, f"torch.load({', '.join(rest)})"),))
    if saved or not imports_torch(script) or "torch.load" in script.source:
        return
    for model, optimizer, loop in _trained_here(script):
        if "device" not in script.source:
            choice = f'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n{model}.to(device)'
            for form, text in (
                ("a choice of device and weights", choice),
                ("a name for the device and weights", choice.replace("torch.device(", "(")),
            ):
                yield _read_of_earlier(
                    form, optimizer, f"{text}\n", f'{model}.load_state_dict(torch.load("{_FILE}"))', f"{model}.state_dict()"
                )
        elif (
            re.search(rf"(?m)^\s*{re.escape(model)}\b.*\.to\(\w*device\w*\)", script.source, re.IGNORECASE)
            and "is_available()" in script.source
        ):
            yield _read_of_earlier(
                "weights loaded before the loop", loop, "", f'{model}.load_state_dict(torch.load("{_FILE}"))', f"{model}.state_dict()"
            )
            read = f'state = torch.load("{_FILE}", weights_only=True)\n{model}.load_state_dict(state["model"])'
            yield _read_of_earlier("weights of a dict", optimizer, "", read, f'{{"model": {model}.state_dict()}}', behind=True)


def _read_of_earlier(form: str, anchor: ast.stmt, above: str, read: str, state: str, *, behind: bool = False) -> Change:
    """A file is read at a place where an earlier run has written it."""
    place = After if behind else Before
    placed = read.replace(f'torch.load("{_FILE}"', f'torch.load("{_FILE}", map_location="cpu"')
    texts = (read, placed, f'torch.save({state}, "{_FILE}")')
    planted, right, earlier = ((place(anchor, above + text),) for text in texts)
    return Change(form, planted, right, earlier)


def benchmark_with_deterministic(script: Script) -> Iterator[Change]:
    """LL902. Both switches of cuDNN are set, side by side or in a function that is called; nothing of the program mentions them before."""
    if any("cudnn" in part.source for part in script.program) or not imports_torch(script):
        return
    first = next((s for s in script.tree.body if isinstance(s, ast.For | ast.If | ast.Expr) and not _is_text(s)), None)
    if first is None:
        return
    flags = "torch.backends.cudnn.benchmark = True\ntorch.backends.cudnn.deterministic = True"
    yield Change("both switches side by side", (Before(first, flags),))
    inside = "".join(f"    {line}\n" for line in ("torch.manual_seed(seed)", *reversed(flags.splitlines())))
    seeded = f"def seed_everything(seed):\n{inside}\n\nseed_everything(0)"
    right = seeded.replace("benchmark = True", "benchmark = False")
    yield Change("both switches in a function", (Before(first, seeded),), (Before(first, right),))


def last_model_returned(script: Script) -> Iterator[Change]:
    """LL804. The best state of all epochs is kept, copied, and not restored; or what restores it after the loop is taken away.

    Real where the model is stepped in an epoch loop of the function that holds it, and nothing else gives it a state.
    """
    loads = [
        s for s in script.statements() if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and callee(s.value) == "load_state_dict"
    ]
    for stmt in loads:
        given = stmt.value.args[0] if isinstance(stmt.value, ast.Call) and stmt.value.args else None
        if isinstance(given, ast.Name) and len(re.findall(rf"\b{given.id}\b(?! *=[^=])", script.source)) == 1 and "copy" in script.source:
            yield Change("the best state is not restored", (Delete(stmt),))
    if any(n in part.source for part in script.program for n in ("load_state_dict", "state_dict(")):
        return
    for model, _, loop in _trained_here(script):
        if isinstance(loop.body[-1], ast.Return | ast.Break | ast.Continue) or any(isinstance(n, ast.Return) for n in ast.walk(loop)):
            continue
        size = f"weight_now = sum(p.detach().abs().sum().item() for p in {model}.parameters())\n"
        restored = After(loop, f"{model}.load_state_dict(kept_weights)")
        for form, state in (
            ("a best state that is copied", f'__import__("copy").deepcopy({model}.state_dict())'),
            ("a best state of clones", f"{{k: v.clone() for k, v in {model}.state_dict().items()}}"),
        ):
            keep = f"if weight_now < lowest_weight:\n    lowest_weight = weight_now\n    kept_weights = {state}"
            kept = (Before(loop, 'lowest_weight = float("inf")'), After(loop.body[-1], size + keep))
            yield Change(form, kept, (*kept, restored))


def _trained_here(script: Script) -> Iterator[tuple[str, ast.stmt, ast.For]]:
    """A model, the statement that builds its optimizer, and the epoch loop below it in the same function that steps it."""
    models = trained_models(script)
    places = [(name, stmt) for name, stmt, _ in built(script, OPTIMIZERS) if name in models]
    for cycle in cycles(script):
        loop = _epochs(script, cycle.loop)
        found = [stmt for name, stmt in places if name == cycle.optimizer]
        if (
            loop is None
            or len(found) != 1
            or not models[cycle.optimizer].isidentifier()
            or list(models.values()).count(models[cycle.optimizer]) != 1
        ):
            continue
        if script.scope(found[0]) is script.scope(loop) and found[0].lineno < loop.lineno and not script.loops(found[0]):
            yield models[cycle.optimizer], found[0], loop


def _epochs(script: Script, loop: Loop | None) -> ast.For | None:
    around = script.loops(loop) if loop is not None else []
    return around[0] if len(around) == 1 and isinstance(around[0], ast.For) and _COUNTS.fullmatch(ast.unparse(around[0].iter)) else None


def _is_state(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and callee(node) == "state_dict"


def _is_text(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)


def _keeps_state(call: ast.Call) -> bool:
    return callee(call) != "SGD" or any(
        k.arg == "momentum" and not (isinstance(k.value, ast.Constant) and not k.value.value) for k in call.keywords
    )
