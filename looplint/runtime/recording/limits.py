"""What ends a run early: so many optimizer steps, passes over a training loader, or batches of each pass.

These hooks measure nothing: they end the script as requested, and keep working where a measurement fails.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import compiling, shielded


class StepLimit(BaseException):
    """Ends the script at the requested limit, which is its message. Not an Exception: scripts catch those."""


class Limits:
    """Counts what a run may do."""

    def __init__(self, tape: Tape, steps: int = 0, epochs: int = 0, batches: int = 0) -> None:
        self.tape, self.steps, self.epochs, self.batches = tape, steps, epochs, batches
        self.backwards = 0

    def step(self) -> None:
        """Counts a step that was taken, or skipped by a scaler."""
        tape = self.tape
        tape.steps += 1
        tape.trained.update(position[0] for _, position in tape.loops)
        if self.steps and tape.steps >= self.steps:
            raise StepLimit(f"{tape.steps} steps")

    def backward(self) -> None:
        """Counts a backward. A program that never steps is ended too, after more backwards than an accumulation would need."""
        self.backwards += 1
        if self.steps and not self.tape.steps and self.backwards >= max(100, 10 * self.steps):
            raise StepLimit(f"{self.backwards} backwards without a step")

    def begin_pass(self, loader: int, number: int) -> None:
        """Counts a pass over a loader that begins, the first with the number 0."""
        if self.epochs and number >= self.epochs and loader in self.tape.trained:
            raise StepLimit(f"{self.epochs} epochs" if self.epochs > 1 else "1 epoch")


def follow_steps(tape: Tape) -> None:
    """Notes which optimizer's step is running; installed before the hooks that record steps."""

    def begins(optimizer: Any, args: Any, kwargs: Any) -> None:
        # Where optimizers could not be noted, each counts.
        if tape.number(optimizer) or "optimizers" in tape.failed:
            stack = tape.local.stepping
            while stack and not _is_running(stack[-1]()):  # its step ended with an error
                stack.pop()
            stack.append(weakref.ref(optimizer))

    register_optimizer_step_pre_hook(shielded(tape, "limits", begins))


def _is_running(optimizer: Any) -> bool:
    """Whether this thread is in the step of an optimizer. Called only where one step seems to be inside another."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "wrapper" and optimizer is not None and frame.f_locals.get("self") is optimizer:
            return True
        frame = frame.f_back
    return False


def install(tape: Tape, limits: Limits) -> None:
    """Counts steps and backwards, once the hooks that record them have run."""

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        stack = tape.local.stepping
        known = [ref() is optimizer for ref in stack]
        if any(known):
            del stack[known.index(True) :]
            if not stack:  # a step inside of another's is a part of that
                limits.step()

    register_optimizer_step_post_hook(shielded(tape, "limits", stepped))
    owners: tuple[Any, ...] = (torch.Tensor, torch.autograd)
    for owner in owners:
        owner.backward = _counted(tape, limits, owner.backward)


def _counted(tape: Tape, limits: Limits, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def backward(*args: Any, **kwargs: Any) -> Any:
        if compiling() or tape.silent() or "counted backward" in tape.local.inside:
            return original(*args, **kwargs)
        tape.local.inside.add("counted backward")
        try:
            result = original(*args, **kwargs)
        finally:
            tape.local.inside.discard("counted backward")
        limits.backward()
        return result

    return backward
