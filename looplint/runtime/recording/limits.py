"""What ends a run early: so many optimizer steps, passes over a training loader, or batches of each pass.

These hooks measure nothing: they end the script as requested, and keep working where a measurement fails.
"""

from __future__ import annotations

import dis
import functools
import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import compiling, shielded

# A run without limits of its own: batches of a training pass, after which it ends; of another pass; and times the steps of a script without passes.
SHORT, LONG, MOST = 10, 100, 5
_FOR = dis.opmap["FOR_ITER"]


class StepLimit(BaseException):
    """Ends the script at the requested limit, which is its message. Not an Exception: scripts catch those."""


class Limits:
    """Counts what a run may do."""

    def __init__(self, tape: Tape, steps: int = 0, epochs: int = 0, batches: int = 0, short: bool = False) -> None:
        self.tape, self.steps, self.epochs, self.batches, self.short = tape, steps, epochs, batches, short
        self.backwards = 0
        self.unused = 0  # backwards since the last step
        self.outside = 0  # steps outside of passes that can be shortened
        self.whole: set[tuple[int, int]] = set()  # passes (loader and number) whose batches are asked for one by one: that has to go on
        self.taken: dict[tuple[int, int], int] = {}  # steps, by loader and pass
        self.lengths: dict[int, int | None] = {}  # of passes, by loader
        self.shortened = 0  # passes
        self.reached = ""  # the limit that the run has come to
        self.aside = False  # whether that was in a thread which is not the script's first, and which alone it ends

    def step(self) -> None:
        """Counts a step that was taken, or skipped by a scaler."""
        tape = self.tape
        tape.pauses.step()
        tape.steps += 1
        self.unused = 0
        passes = [(loader, number) for _, (loader, number, _), _ in tape.loops]
        tape.trained.update(loader for loader, _ in passes)
        for each in passes if self.short else ():
            self.taken[each] = self.taken.get(each, 0) + 1
        self.outside += self.whole.issuperset(passes)
        most = self.steps * MOST if self.short and self.outside < self.steps else self.steps
        if most and tape.steps >= most:
            self.end(f"{tape.steps} steps")

    def ends_pass(self, position: list[int]) -> bool:
        """Whether a pass, now at this position, is to end before its next batch; called by what takes the batch."""
        loader, number, batch = position
        if self.batches and batch + 1 >= self.batches:
            return True
        if batch < 0 and not _is_loop(sys._getframe(2)):
            self.whole.add((loader, number))
        if not self.short or batch + 1 < SHORT or self.unused or (loader, number) in self.whole or self.lengths.get(loader) == batch + 1:
            return False
        # What a pass without training gives may be compared with the whole data set in the end; that of a pass that is this long seldom is.
        steps = self.taken.get((loader, number), 0)
        if steps > 1 or (not steps and batch + 1 >= LONG):
            self.shortened += 1
            return True
        return False

    def backward(self) -> None:
        """Counts a backward. A program that never steps is ended too, after more backwards than an accumulation would need."""
        self.backwards += 1
        self.unused += 1
        if self.steps and not self.tape.steps and self.backwards >= max(100, 10 * self.steps):
            self.end(f"{self.backwards} backwards without a step")

    def begin_pass(self, loader: int, number: int, length: int | None) -> None:
        """Counts a pass over a loader of so many batches that begins, the first with the number 0."""
        self.lengths[loader] = length
        if self.epochs and number >= self.epochs and loader in self.tape.trained:
            self.end(f"{self.epochs} epochs" if self.epochs > 1 else "1 epoch")
        trained = sum(each[0] == loader and each not in self.whole for each in self.taken)
        if self.short and trained >= 2 and not self.tape.running_loops():
            self.end("two epochs, of which it saw the first batches")

    def end(self, message: str) -> NoReturn:
        self.reached, self.aside = message, self.tape.local.thread > 0
        raise StepLimit(message)

    def stop(self) -> None:
        """Ends a thread that is not recorded, where the one that is came to its limit."""
        if self.reached:
            raise StepLimit(self.reached)

    @staticmethod
    def is_limit(kind: type[BaseException]) -> bool:
        return issubclass(kind, StepLimit)


def _is_loop(frame: FrameType) -> bool:
    """Whether the next batch is asked for by a `for` loop, which ends where there is none; `next(batches)` would fail."""
    if frame.f_globals.get("__name__") == "accelerate.data_loader":  # looks one batch ahead, and knows the end
        return True
    return frame.f_code.co_code[frame.f_lasti] == _FOR


def follow_steps(tape: Tape) -> None:
    """Notes which optimizer's step is running; installed before the hooks that record steps."""

    def begins(optimizer: Any, args: Any, kwargs: Any) -> None:
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
    engine: Any = torch.autograd
    engine.backward = _counted(tape, limits, engine.backward)  # a tensor's own method calls it


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
