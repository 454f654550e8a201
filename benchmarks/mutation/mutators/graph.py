"""Bugs of accumulation, of several optimizers and of kept graphs: LL108, LL109, LL110."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.cycles import Cycle, cycles, handles_gradients_itself, last_backward, mentions, side_by_side, together
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.gradients import only_clears_of
from benchmarks.mutation.roles import Event, calls_within, functions, trained_models
from benchmarks.mutation.script import After, Before, Delete, Op, Replace, Script

_SUMMED = re.compile(r"reduction\s*=\s*['\"]sum|size_average\s*=\s*False|\.sum\(\)\.backward")
_SUMMED_LOSS = re.compile(r"Loss\([^)\n]*(reduction\s*=\s*['\"]sum|size_average\s*=\s*False)")
_K = 4


def accumulation_unscaled(script: Script) -> Iterator[Change]:
    """LL108. The loss of an accumulating loop loses its only division by k; or a plain loop is made to accumulate without one.

    Real where the step stands under a test modulo k, the loss goes backward on every batch, is divided by k at one place only, and is a
    mean (no `reduction="sum"` in the loop, in what it calls, or in a loss module of the program).
    """
    if handles_gradients_itself(script):
        return
    for cycle in cycles(script):
        if not cycle.alone or cycle.loop is None or _sums(script, cycle):
            continue
        for k in _moduli(script, cycle):
            drops = [d for d in (_without_division(n, k) for n in ast.walk(cycle.loop)) if d is not None]
            if len(drops) == 1 and any(
                mentions(script.statement(drops[0].node), b.who) or b.stmt is drops[0].node for b in cycle.backwards
            ):
                yield Change(f"the loss no longer divided by {k}", (_written(script, drops[0]),))
        yield from _made_to_accumulate(script, cycle)


def _sums(script: Script, cycle: Cycle) -> bool:
    called = [f for name in calls_within(cycle.region) for f in functions(script, name)]
    texts = [ast.unparse(node) for node in (cycle.region, *called)]
    return any(_SUMMED.search(t) for t in texts) or any(_SUMMED_LOSS.search(part.source) for part in script.program)


def _moduli(script: Script, cycle: Cycle) -> Iterator[str]:
    """The k of `if ... % k == 0:` around the step."""
    for parent in script.ancestors(cycle.step.stmt):
        if parent is cycle.loop:
            return
        if isinstance(parent, ast.If):
            for node in ast.walk(parent.test):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
                    yield ast.unparse(node.right)


def _without_division(node: ast.AST, k: str) -> Replace | None:
    match node:
        case ast.BinOp(op=ast.Div(), right=right, left=left) if ast.unparse(right) == k:
            return Replace(node, ast.unparse(left))
        case ast.AugAssign(op=ast.Div(), value=value) if ast.unparse(value) == k:
            return Replace(node, "")
    return None


def _written(script: Script, drop: Replace) -> Op:
    """`loss /= k` and `loss = loss / k` leave no statement behind."""
    stmt = script.statement(drop.node)
    if stmt is drop.node:
        return Delete(stmt)
    if isinstance(stmt, ast.Assign) and stmt.value is drop.node and ast.unparse(stmt.targets[0]) == drop.text:
        return Delete(stmt)
    return drop


def _made_to_accumulate(script: Script, cycle: Cycle) -> Iterator[Change]:
    """A loop that steps on every batch is made to step on every fourth; whatever stands between backward and step must be a clip."""
    if cycle.scaled or len(cycle.backwards) != 1 or len(cycle.clears) != 1 or cycle.clears[0].call is None:
        return
    backward, clear, step, loop = cycle.backwards[0], cycle.clears[0], cycle.step, cycle.loop
    if loop is None or not side_by_side(script, backward, clear, step) or any(e.kind == "schedule" for e in cycle.in_region):
        return
    body = script.bodies[step.stmt]
    if body is not loop.body or clear.stmt.lineno > backward.stmt.lineno and clear.stmt.lineno < step.stmt.lineno:
        return
    between = [s for s in body[body.index(backward.stmt) + 1 : body.index(step.stmt)] if s is not clear.stmt]
    clips = {e.stmt for e in cycle.in_region if e.kind == "clip" and isinstance(e.stmt, ast.Expr)}
    if any(s not in clips for s in between):
        return
    guarded = "".join(f"    {ast.unparse(s)}\n" for s in (*between, step.stmt, clear.stmt))
    gone = (*(Delete(s) for s in between), Delete(clear.stmt))
    divided = _divided(script, backward)
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="enumerate")), target=ast.Tuple(elts=[ast.Name(id=index), *_])):
            for form, test, before in (
                ("(i + 1) % k", f"({index} + 1) % {_K} == 0", ()),
                ("i % k == k - 1", f"{index} % {_K} == {_K - 1}", ()),
                ("with a named k", f"not ({index} + 1) % accumulation_steps", (Before(loop, f"accumulation_steps = {_K}"),)),
            ):
                ops = (*gone, *before, Replace(step.stmt, f"if {test}:\n{guarded}"))
                yield Change(f"made to accumulate, {form}", ops, (*ops, *divided))
        case ast.For():
            counting = (Before(loop, "micro = 0"), After(backward.stmt, "micro += 1"))
            ops = (*gone, *counting, Replace(step.stmt, f"if micro % {_K} == 0:\n{guarded}"))
            yield Change("made to accumulate, with a counter", ops, (*ops, *divided))


def _divided(script: Script, backward: Event) -> tuple[Op, ...]:
    """The division that is missing, where the backward is a call on the loss."""
    call = backward.call
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "backward" or call.args:
        return ()
    return (Replace(call.func.value, f"({script.text(call.func.value)} / {_K})"),)


def wrong_optimizer_cleared(script: Script) -> Iterator[Change]:
    """LL109. The only clear of one optimizer (or of its model) is given to another one that steps in the same loop.

    Real under the conditions of LL102 for one optimizer among several: nothing else clears the first one's gradients.
    """
    if handles_gradients_itself(script):
        return
    found = list(cycles(script))
    for cycle in found:
        if cycle.alone or len(cycle.clears) != 1 or cycle.clears[0].call is None or not only_clears_of(script, cycle):
            continue
        clear = cycle.clears[0]
        for other in found:
            if other.region is not cycle.region or other.optimizer == cycle.optimizer:
                continue
            target = other.optimizer if clear.who == cycle.optimizer else trained_models(script).get(other.optimizer)
            if target is not None and isinstance(clear.call, ast.Call) and isinstance(clear.call.func, ast.Attribute):
                yield Change(f"{target} cleared in the place of {clear.who}", (Replace(clear.call.func.value, target),))


def retain_graph_in_loop(script: Script) -> Iterator[Change]:
    """LL110. `retain_graph=True` is given to the only backward of a repeated region.

    Real because a right script with one backward in an iteration needs no graph twice (state carried from batch to batch is detached,
    or the script would already fail). Not where the program builds graphs of graphs or retains one anywhere.
    """
    if any(word in part.source for part in script.program for word in ("retain_graph", "create_graph", "autograd.grad")):
        return
    for cycle in cycles(script):
        if len(cycle.backwards) != 1 or cycle.backwards[0].call is None:
            continue
        backward = last_backward(cycle)
        places = together(script, backward.stmt, cycle.step.stmt)
        if places is None or script.loops(backward.stmt)[:1] != ([cycle.loop] if cycle.loop else []):
            continue
        yield Change("retain_graph=True added", (_argument(script, backward, "retain_graph=True"),))
        if not _arguments(backward):
            yield Change("retain_graph given by position", (_argument(script, backward, "None, True"),))
        if cycle.loop is not None:
            name = Before(cycle.loop, "keep_graph = True")
            yield Change("retain_graph from a name", (name, _argument(script, backward, "retain_graph=keep_graph")))


def _arguments(backward: Event) -> bool:
    return backward.call is not None and bool(backward.call.args or backward.call.keywords)


def _argument(script: Script, backward: Event, text: str) -> Replace:
    assert backward.call is not None
    written = script.text(backward.call)
    return Replace(backward.call, written[:-1].rstrip().rstrip(",") + (", " if _arguments(backward) else "") + text + ")")
