"""Hooks on learning-rate schedulers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from looplint.runtime.recording import measure
from looplint.runtime.recording.tape import Tape


def install(tape: Tape) -> None:
    for kind in [LRScheduler, *subclasses(LRScheduler)]:
        for name, wrap in (("__init__", _construct), ("step", _step)):
            if name in vars(kind):
                setattr(kind, name, wrap(tape, vars(kind)[name]))
    _wrap_futuresubclasses(tape)


def subclasses(kind: type) -> list[type]:
    direct: list[type] = kind.__subclasses__()
    return [s for child in direct for s in [child, *subclasses(child)]]


def _wrap_futuresubclasses(tape: Tape) -> None:
    """A scheduler class that the script defines may have a step of its own."""

    def init_subclass(cls: Any, **kwargs: Any) -> None:
        super(LRScheduler, cls).__init_subclass__(**kwargs)
        if "step" in vars(cls):
            cls.step = _step(tape, vars(cls)["step"])

    LRScheduler.__init_subclass__ = classmethod(init_subclass)  # type: ignore[assignment,arg-type]


def _rates(scheduler: Any) -> list[float]:
    optimizer = getattr(scheduler, "optimizer", None)
    return measure.learning_rates(optimizer) if isinstance(optimizer, torch.optim.Optimizer) else []


def _count(scheduler: Any) -> int | None:
    """How far a scheduler has come; some keep it as a fraction, and those of other libraries may not keep it."""
    count = getattr(scheduler, "last_epoch", None)
    return int(count) if isinstance(count, (int, float)) else None


def _construct(tape: Tape, original: Callable[..., Any]) -> Callable[..., Any]:
    local = tape.local

    @functools.wraps(original)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        if "schedule" in local.inside or tape.silent():
            original(self, *args, **kwargs)
            return
        local.inside.add("schedule")
        try:
            original(self, *args, **kwargs)
        finally:
            local.inside.discard("schedule")
        facts = {"optimizer": tape.number(getattr(self, "optimizer", None)), "lr": _rates(self)}
        number = tape.object(self, "scheduler", facts)
        tape.emit("construct", number, facts)

    return construct


def _step(tape: Tape, original: Callable[..., Any]) -> Callable[..., Any]:
    local = tape.local

    @functools.wraps(original)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "schedule" in local.inside or tape.silent():
            return original(self, *args, **kwargs)
        before = _rates(self)
        local.inside.add("schedule")
        facts: dict[str, Any] = {"lr_before": before, "optimizer": tape.number(getattr(self, "optimizer", None))}
        if facts["optimizer"] in tape.stepping:
            facts["in_step"] = True
        if isinstance(self, ReduceLROnPlateau) and args and type(args[0]) is int:
            facts["counter"] = args[0]
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            facts["error"] = type(error).__name__
            raise
        finally:
            local.inside.discard("schedule")
            tape.emit("schedule", tape.object(self, "scheduler"), {**facts, "lr": _rates(self), "count": _count(self)})
        return result

    return step
