"""Bugs in clipping: LL103, LL104. Existing clips are moved; scripts without one get one at the wrong place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import Cycle, cycles, last_backward, side_by_side
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import Event
from benchmarks.mutation.script import After, Before, MoveAfter, MoveBefore, Op, Script


def clip_before_backward(script: Script) -> Iterator[Change]:
    """LL103. A clip is put before the backward where the gradients are empty.

    Real where the cycle has one backward, one step and one clear in one statement list and nothing fills the gradients before the clip:
    the clip goes between the clear and the backward, or, where the clear follows the step, anywhere before the backward. Not under an
    accumulation guard, where earlier batches have filled the gradients.
    """
    for cycle in cycles(script):
        if len(cycle.backwards) != 1 or len(cycle.clears) != 1 or not side_by_side(script, cycle.backwards[0], cycle.clears[0], cycle.step):
            continue
        backward, clear = cycle.backwards[0].stmt, cycle.clears[0].stmt
        if backward.lineno < clear.lineno < cycle.step.stmt.lineno:
            continue
        clip = _clip(script, cycle)
        if clip is not None:
            yield Change("the clip moved to just before the backward", (MoveBefore(clip, backward),))
            if clear.lineno < backward.lineno:
                yield Change("the clip moved to just after the clear", (MoveAfter(clip, clear),))
        for text in _new_clips(script, cycle):
            yield Change(
                f"a new {text.split('(')[0].split('.')[-1]} before the backward", (Before(backward, text),), _in_place(cycle, text)
            )
            if clear.lineno < backward.lineno:
                yield Change(f"a new {text.split('(')[0].split('.')[-1]} after the clear", (After(clear, text),), _in_place(cycle, text))


def clip_after_step(script: Script) -> Iterator[Change]:
    """LL104. A clip is put after the step that has used the gradients, and before anything clears them.

    Real directly after the step: the state there is applied on every path. With a scaler also after its update.
    """
    for cycle in cycles(script):
        clip = _clip(script, cycle)
        if clip is not None:
            yield Change("the clip moved to just after the step", (MoveAfter(clip, cycle.step.stmt),))
        for text in _new_clips(script, cycle):
            yield Change(
                f"a new {text.split('(')[0].split('.')[-1]} after the step", (After(cycle.step.stmt, text),), _in_place(cycle, text)
            )


def _in_place(cycle: Cycle, text: str) -> tuple[Op, ...] | None:
    """The clip where it belongs; where the loss is scaled, it also needs an unscale, which is another bug's business."""
    return None if cycle.scaled else (Before(cycle.step.stmt, text),)


def _clip(script: Script, cycle: Cycle) -> ast.stmt | None:
    """The one clip before the step in the step's own statement list, with the `if` that holds nothing else; its result must not be used."""
    clips = [e for e in cycle.in_region if e.kind == "clip"]
    if len(clips) != 1 or not isinstance(clips[0].stmt, ast.Expr):
        return None
    stmt = _with_guard(script, clips[0])
    body = script.bodies[cycle.step.stmt]
    if script.bodies[stmt] is not body or not last_backward(cycle).stmt.lineno < stmt.lineno < cycle.step.stmt.lineno:
        return None
    return stmt


def _with_guard(script: Script, clip: Event) -> ast.stmt:
    parent = script.parents[clip.stmt]
    return parent if isinstance(parent, ast.If) and parent.body == [clip.stmt] and not parent.orelse else clip.stmt


def _new_clips(script: Script, cycle: Cycle) -> tuple[str, ...]:
    """Clips for a cycle that has none, of a model that is in reach and in a file that imports torch."""
    if cycle.model is None or any(e.kind == "clip" for e in cycle.in_region) or not imports_torch(script):
        return ()
    return (
        f"torch.nn.utils.clip_grad_norm_({cycle.model}.parameters(), max_norm=1.0)",
        f"torch.nn.utils.clip_grad_value_({cycle.model}.parameters(), 0.5)",
    )
