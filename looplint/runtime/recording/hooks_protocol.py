"""Hooks on optimizers that do not derive from torch's, recognized by protocol: they step, clear gradients and hold parameters."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_optim import Optimizers, begin_step, end_step, register
from looplint.runtime.recording.limits import Limits
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook


class Protocol:
    """Searches for such optimizers where a backward fills gradients that no known optimizer holds."""

    def __init__(self, tape: Tape, optimizers: Optimizers, limits: Limits) -> None:
        self.tape, self.optimizers, self.limits = tape, optimizers, limits
        self._hooked: set[type] = set()

    def look(self) -> None:
        """Hooks the classes of the live ones; sampled, because all live objects are searched."""
        if not self.tape.sample("protocol", 0, 2):
            return
        for thing in gc.get_objects():
            kind = type(thing)
            if kind in self._hooked or not self._steps(kind):
                continue
            held = measure.parameters_of(thing)
            if held and not _wraps(thing) and all(p.requires_grad for p in held):
                self._hook(kind)
                register(self.tape, self.optimizers, thing)

    def _steps(self, kind: type) -> bool:
        return (
            all(any(name in vars(base) for base in kind.__mro__) for name in ("step", "zero_grad"))
            and not issubclass(kind, (torch.optim.Optimizer, nn.Module, torch.amp.GradScaler))
            and not kind.__module__.startswith("torch.")
        )

    def _hook(self, kind: type) -> None:
        self._hooked.add(kind)
        self.tape.pauses.forbid()  # which gradients such an optimizer finds is seen by its own steps alone
        hook(self.tape, "steps", kind, "step", self._step(), "step by protocol")
        hook(self.tape, "clears", kind, "zero_grad", self._clear(), "clear by protocol")  # a class it derives from may be hooked as well

    def _step(self) -> Callable[..., Watching]:
        def watch(optimizer: Any, *args: Any, **kwargs: Any) -> Watching:
            tape, optimizers = self.tape, self.optimizers
            number = tape.number(optimizer) or register(tape, optimizers, optimizer)
            optimizers.use(number)
            optimizers.notice_clears()
            facts = begin_step(tape, optimizer, number, measure.parameters_of(optimizer), args, kwargs)
            if (yield None).error is None:
                end_step(tape, optimizers, optimizer, number, facts)
                self.limits.step()

        return watch

    def _clear(self) -> Callable[..., Watching]:
        def watch(optimizer: Any, *args: Any, **kwargs: Any) -> Watching:
            number = self.tape.number(optimizer)
            if not number:
                return
            self.optimizers.use(number)
            held = measure.with_gradient(measure.parameters_of(optimizer))
            if (yield None).error is None:
                self.optimizers.left.pop(number, None)
                self.tape.emit("clear", number, {"grads": held})

        return watch


def _wraps(thing: Any) -> bool:
    """Whether it holds optimizers of torch: by those it steps."""
    values = [*getattr(thing, "__dict__", {}).values()]
    values += [item for value in values if isinstance(value, (list, tuple)) for item in value]
    return any(issubclass(type(value), torch.optim.Optimizer) for value in values)
