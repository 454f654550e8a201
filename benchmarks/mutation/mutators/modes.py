"""Bugs of modes: LL301, LL302, LL303."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles, enclosing_top
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import Event, callee, calls_within, events, models, receiver
from benchmarks.mutation.script import After, Before, Dedent, Delete, Loop, MoveAfter, Replace, Scope, Script, Undecorate

_MEASURED = re.compile(r"\.item\(\)|argmax|\.max\(|criterion|loss|accuracy|correct|\.tolist\(|metric|score")
_MODE_MATTERS = re.compile(r"Dropout|dropout|BatchNorm|torchvision\.models|\bmodels\b|from_pretrained|timm\.|resnet")
_GENERATES = re.compile(r"multinomial|generate|decode")
_READS_MODE = re.compile(r"^\s*\w+ = .*\.training\b", re.MULTILINE)
_NO_GRAD = frozenset({"no_grad", "inference_mode"})


def missing_train_mode(script: Script) -> Iterator[Change]:
    """LL301. The `train()` calls of a model that each epoch evaluates are removed, hoisted before the epochs, or turned.

    Real where one epoch runs, unconditionally, both the training with `model.train()` and the validation with `model.eval()`, in one
    function or in two functions that the epoch loop calls with the same model, and no other `train()` of that name is left to restore
    the mode.
    """
    if any(_READS_MODE.search(part.source) for part in script.program):
        return  # code that reads `model.training` may restore the mode in its own way
    for train, epoch in _trained_and_evaluated(script):
        others = [e for e in events(script) if e.kind == "train" and e.who == train.who]
        if any(_mode_calls(part, train.who, "train") for part in script.siblings):
            continue
        yield Change("train() deleted", tuple(Delete(e.stmt) for e in others))
        yield Change("train() named, not called", tuple(Replace(e.stmt, f"{e.who}.train") for e in others))
        yield Change("train(False)", tuple(Replace(e.stmt, f"{e.who}.train(False)") for e in others))
        yield Change("eval() in the place of train()", tuple(Replace(e.stmt, f"{e.who}.eval()") for e in others))
        if epoch in script.ancestors(train.stmt) and script.scope(epoch) is script.scope(train.stmt):
            yield Change("train() once, before the epochs", (*(Delete(e.stmt) for e in others), Before(epoch, f"{train.who}.train()")))


def _trained_and_evaluated(script: Script) -> Iterator[tuple[Event, Loop]]:
    """A train event with the epoch loop that runs it and an eval of the same model on every turn."""
    found = events(script)
    regions = [c.region for c in cycles(script)]
    seen: set[str] = set()
    for train in (e for e in found if e.kind == "train"):
        scope = script.scope(train.stmt)
        if train.who in seen or not any(r is scope or r in ast.walk(scope) for r in regions):
            continue
        for other in (e for e in found if e.kind == "eval" and e.who == train.who):
            epoch = _common_epoch(script, train, other)
            if epoch is not None and train.who not in seen:
                seen.add(train.who)
                yield train, epoch


def _common_epoch(script: Script, train: Event, other: Event) -> Loop | None:
    for train_call, train_loop in _runs(script, train):
        for eval_call, eval_loop in _runs(script, other):
            if train_loop is eval_loop and _same_model(script, train, train_call, other, eval_call):
                return train_loop
    return None


def _runs(script: Script, event: Event) -> Iterator[tuple[ast.Call | None, Loop]]:
    """The loops that run a mode switch on every turn: around it, or around a call of its function; with that call."""
    scope = script.scope(event.stmt)
    loops = script.loops(event.stmt)
    if loops:
        if not script.under(event.stmt, (ast.If, ast.Try, ast.While), loops[0]):
            yield None, loops[0]
        return
    if isinstance(scope, ast.Module) or script.under(event.stmt, (ast.If, ast.Try), scope):
        return
    for node in script.nodes:
        if isinstance(node, ast.Call) and callee(node) == scope.name:
            around = script.loops(node)
            if around and not script.under(node, (ast.If, ast.Try, ast.Lambda), around[0]):
                yield node, around[0]


def _same_model(script: Script, train: Event, train_call: ast.Call | None, other: Event, eval_call: ast.Call | None) -> bool:
    return argument(script.scope(train.stmt), train_call, train.who) == argument(script.scope(other.stmt), eval_call, other.who)


def argument(scope: Scope, call: ast.Call | None, name: str) -> str:
    """What a function's parameter stands for at one call; the name itself where it is no parameter."""
    if call is None or isinstance(scope, ast.Module):
        return name
    parameters = [a.arg for a in (*scope.args.posonlyargs, *scope.args.args)]
    if parameters[:1] == ["self"]:
        parameters = parameters[1:]
    for keyword in call.keywords:
        if keyword.arg == name:
            return ast.unparse(keyword.value)
    if name in parameters and parameters.index(name) < len(call.args):
        return ast.unparse(call.args[parameters.index(name)])
    return name


def _mode_calls(script: Script, who: str, name: str) -> bool:
    return any(e.kind == name and e.who == who for e in events(script))


def missing_eval_mode(script: Script) -> Iterator[Change]:
    """LL302. The `eval()` before a validation pass is removed, turned, or moved behind it.

    Real where the program trains, the model has something whose mode matters (dropout, batch norm, a library's model), the statements
    after `eval()` run it and measure the result without a backward, and the model is in train mode when they are reached: all its
    `eval()` calls go, or an unconditional `train()` of the same name runs again before each pass.
    """
    if not any(_MODE_MATTERS.search(ast.unparse(_code(part.tree))) for part in script.program):
        return
    # One input run through dropout many times, and inputs that are themselves optimized, are no validation.
    if any(
        word in part.source
        for part in script.program
        for word in ("enable_dropout", "requires_grad=True", "requires_grad_(True)", "requires_grad_()")
    ):
        return
    found = events(script)
    trains = {e.who for e in found if e.kind == "train"}
    if not any(True for part in script.program for _ in cycles(part)):
        return
    retrained = {train.who for train, _ in _trained_and_evaluated(script)}
    for who in {e.who for e in found if e.kind == "eval"} & (trains | set(_optimized(script))):
        evals = [e for e in found if e.kind == "eval" and e.who == who]
        validating = [e for e in evals if _pass_after(script, e) is not None]
        if not validating or any(_mode_calls(part, who, "eval") for part in script.siblings):
            continue
        single = [[e] for e in validating] if who in retrained and len(evals) > 1 else []
        for chosen in [evals, *single]:
            which = "every eval()" if chosen is evals else "one eval()"
            yield Change(f"{which} deleted", tuple(Delete(e.stmt) for e in chosen))
            yield Change(f"{which} named, not called", tuple(Replace(e.stmt, f"{who}.eval") for e in chosen))
            yield Change(f"train() in the place of {which}", tuple(Replace(e.stmt, f"{who}.train()") for e in chosen))
        last = _pass_after(script, validating[0])
        if last is not None and who in retrained and len(evals) == 1:
            yield Change("eval() moved behind the validation", (MoveAfter(evals[0].stmt, last),))


def _code(tree: ast.Module) -> ast.Module:
    """A module without its docstring."""
    spoken = isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant) if tree.body else False
    return ast.Module(tree.body[1:] if spoken else tree.body, [])


def _optimized(script: Script) -> Iterator[str]:
    return (c.model for part in script.program for c in cycles(part) if c.model is not None)


def _pass_after(script: Script, event: Event) -> ast.stmt | None:
    """The statement after `eval()` in its list that runs the model and measures, with no backward before the model trains again."""
    body = script.bodies[event.stmt]
    for stmt in body[body.index(event.stmt) + 1 :]:
        calls = [n for n in ast.walk(stmt) if isinstance(n, ast.Call)]
        if any(callee(c) in ("backward", "manual_backward") or (callee(c) == "train" and receiver(c) == event.who) for c in calls):
            return None
        if any(ast.unparse(c.func) == event.who for c in calls):
            rest = body[body.index(stmt) :]
            return stmt if any(_MEASURED.search(script.text(s)) for s in rest) else None
    return None


def missing_no_grad(script: Script) -> Iterator[Change]:
    """LL303. The `no_grad` around a validation pass is taken off: its block dedented, its decorator removed, called as a statement, or
    turned.

    Real where the block runs a model and measures its output, holds a loop or follows the model's `eval()` (a target computed without
    gradients inside a training step is not a validation), contains no backward, and nothing around it or its callers disables
    gradients.
    """
    names = models(script)
    for node in script.nodes:
        if (
            isinstance(node, ast.With)
            and len(node.items) == 1
            and _disables(node.items[0].context_expr)
            and _validates(script, node, names)
        ):
            if _disabled_around(script, node):
                continue
            expression = script.text(node.items[0].context_expr)
            yield Change("the no_grad block dedented", (Dedent(node),))
            yield Change("no_grad called as a statement", (Before(node, expression), Dedent(node)))
            yield Change(
                "enable_grad in the place of no_grad", (Replace(node.items[0].context_expr, _enabling(node.items[0].context_expr)),)
            )
        elif isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if _disables(decorator) and len([d for d in node.decorator_list if _disables(d)]) == 1 and _evaluates(script, node, names):
                    yield Change("the no_grad decorator removed", (Undecorate(decorator),))


def _disables(expression: ast.expr) -> bool:
    match expression:
        case ast.Call(func=ast.Attribute(attr=name), args=[]) if name in _NO_GRAD:
            return True
        case ast.Call(func=ast.Attribute(attr="set_grad_enabled"), args=[ast.Constant(value=False)]):
            return True
    return False


def _enabling(expression: ast.expr) -> str:
    assert isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute)
    return f"{ast.unparse(expression.func.value)}.enable_grad()"


def _validates(script: Script, block: ast.With, names: set[str]) -> bool:
    if not _runs_and_measures(script, block, names):
        return False
    loops = script.loops(block)
    has_loop = any(isinstance(n, ast.For | ast.While) for n in ast.walk(block))
    in_own_loop = bool(loops) and not any(isinstance(n, ast.Call) and callee(n) == "backward" for n in ast.walk(loops[0]))
    body = script.bodies[block]
    after_eval = any(e.kind == "eval" and e.stmt in body and e.stmt.lineno < block.lineno for e in events(script))
    return has_loop or in_own_loop or after_eval


def _runs_and_measures(script: Script, node: ast.With | ast.FunctionDef, names: set[str]) -> bool:
    calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    if any(callee(c) in ("backward", "manual_backward", "enable_grad") for c in calls):
        return False
    runs = any(ast.unparse(c.func) in names for c in calls)
    text = "\n".join(script.text(s) for s in node.body)
    # Sampling from a model runs it without measuring it, whatever `.item()` it uses.
    return runs and bool(_MEASURED.search(text)) and not _GENERATES.search(text)


def _evaluates(script: Script, function: ast.FunctionDef, names: set[str]) -> bool:
    """Whether the program calls a function (one that nobody calls may be for inference) that runs a model and measures it."""
    called = any(function.name in calls_within(part.tree) for part in script.program)
    return called and _runs_and_measures(script, function, names) and not _disabled_around(script, function)


def _disabled_around(script: Script, node: ast.With | ast.FunctionDef) -> bool:
    """Whether an outer block, decorator or global switch disables gradients there, or a caller does."""
    if any("set_grad_enabled(False)" in part.source for part in script.program):
        return True
    for parent in script.ancestors(node):
        if isinstance(parent, ast.With) and any(_disables(i.context_expr) for i in parent.items):
            return True
        if isinstance(parent, ast.FunctionDef) and (any(_disables(d) for d in parent.decorator_list) or _called_disabled(script, parent)):
            return True
    return isinstance(node, ast.FunctionDef) and _called_disabled(script, node)


def _called_disabled(script: Script, function: ast.FunctionDef) -> bool:
    for part in script.program:
        for node in part.nodes:
            if isinstance(node, ast.Call) and callee(node) == function.name:
                for parent in part.ancestors(node):
                    if isinstance(parent, ast.With) and any(_disables(i.context_expr) for i in parent.items):
                        return True
                    if isinstance(parent, ast.FunctionDef) and any(_disables(d) for d in parent.decorator_list):
                        return True
    return False


def eval_mode_left_on(script: Script) -> Iterator[Change]:
    """LL304. The model is measured in eval mode behind some steps of the batch loop, on the batch at hand, and nothing switches it back.

    Real where the mode matters, the model is set to train mode before that loop and nowhere in it, and the loop is not left at once.
    """
    if any(_READS_MODE.search(part.source) for part in script.program) or not any(
        _MODE_MATTERS.search(part.source) for part in script.program
    ):
        return
    no_grad = any(isinstance(n, ast.Import) and any(a.name == "torch" and a.asname is None for a in n.names) for n in script.tree.body)
    for cycle in cycles(script):
        if cycle.loop is None or cycle.model is None or not no_grad or script.bodies[cycle.step.stmt] is not cycle.loop.body:
            continue
        body = ast.unparse(cycle.loop)
        forward = next((n for n in ast.walk(cycle.loop) if isinstance(n, ast.Call) and ast.unparse(n.func) == cycle.model and n.args), None)
        before = [e for e in events(script) if e.kind == "train" and e.who == cycle.model and e.stmt.lineno < cycle.loop.lineno]
        if (
            forward is None
            or not before
            or ".train(" in body
            or ".eval(" in body
            or isinstance(cycle.loop.body[-1], ast.Return | ast.Break)
        ):
            continue
        now_and_then = "if torch.rand(1).item() < 0.1:\n"
        # What was frozen before the measurement stays so: the right script puts back each part's own mode.
        kept = f"    modes = [part.training for part in {cycle.model}.modules()]\n"
        put_back = f"    for part, mode in zip({cycle.model}.modules(), modes):\n        part.training = mode"
        measure = (
            f"    {cycle.model}.eval()\n    with torch.no_grad():\n        now = {ast.unparse(forward)}\n    print(float(now.mean()))\n"
        )
        planted, right = (After(cycle.loop.body[-1], now_and_then + text) for text in (measure, f"{kept}{measure}{put_back}"))
        yield Change("measured now and then", (planted,), (right,))
        helper = "def measured(net, *inputs):\n    net.eval()\n    with torch.no_grad():\n        return float(net(*inputs).mean())\n\n\n"
        call = f"    print(measured({cycle.model}, {', '.join(map(ast.unparse, forward.args))}))\n"
        if not forward.keywords:
            written = Before(enclosing_top(script, cycle.loop), helper)
            planted, right = (After(cycle.loop.body[-1], now_and_then + text) for text in (call, f"{kept}{call}{put_back}"))
            yield Change("a helper that measures", (written, planted), (written, right))
