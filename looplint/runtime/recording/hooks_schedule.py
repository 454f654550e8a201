"""Hooks on learning-rate schedulers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.optim.lr_scheduler import LRScheduler, ReduceLROnPlateau

from looplint.runtime.recording import measure
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook, shielded


def install(tape: Tape) -> None:
    for kind in [LRScheduler, *subclasses(LRScheduler)]:
        if "__init__" in vars(kind):
            hook(tape, "schedules", kind, "__init__", _construct(tape), "schedule")
        _wrap_step(tape, kind)
    _wrap_future_subclasses(tape)


def _wrap_step(tape: Tape, kind: Any) -> None:
    if "step" in vars(kind):
        hook(tape, "schedules", kind, "step", _step(tape), "schedule")


def subclasses(kind: type) -> list[type]:
    direct: list[type] = kind.__subclasses__()
    return [s for child in direct for s in [child, *subclasses(child)]]


def _wrap_future_subclasses(tape: Tape) -> None:
    """A scheduler class that the script defines may have a step of its own."""
    wrap = shielded(tape, "schedules", partial(_wrap_step, tape))

    def init_subclass(cls: type[LRScheduler], /, **kwargs: Any) -> None:
        super(LRScheduler, cls).__init_subclass__(**kwargs)
        wrap(cls)

    setattr(LRScheduler, "__init_subclass__", classmethod(init_subclass))  # noqa: B010 (the class has inherited this method until now)


def _rates(scheduler: Any) -> list[float | None]:
    optimizer = getattr(scheduler, "optimizer", None)
    return measure.learning_rates(optimizer) if isinstance(optimizer, torch.optim.Optimizer) else []


def _count(scheduler: Any) -> int | None:
    """How far a scheduler has come; some keep it as a fraction, and those of other libraries may not keep it."""
    count = getattr(scheduler, "last_epoch", None)
    return int(count) if isinstance(count, (int, float)) else None


def _end(scheduler: Any) -> int | None:
    """After how many steps a scheduler of the whole training ends; None where it does not say."""
    ends = (getattr(scheduler, name, None) for name in ("T_max", "total_iters", "total_steps"))
    return next((end for end in ends if isinstance(end, int)), None)


def _construct(tape: Tape) -> Callable[..., Watching]:
    def watch(scheduler: Any, *args: Any, **kwargs: Any) -> Watching:
        if (yield None).error is None:
            facts = {"optimizer": tape.number(getattr(scheduler, "optimizer", None)), "lr": _rates(scheduler), "end": _end(scheduler)}
            tape.emit("construct", tape.object(scheduler, "scheduler", facts), facts)

    return watch


def _step(tape: Tape) -> Callable[..., Watching]:
    def watch(scheduler: Any, *args: Any, **kwargs: Any) -> Watching:
        optimizer = getattr(scheduler, "optimizer", None)
        facts: dict[str, Any] = {"lr_before": _rates(scheduler), "optimizer": tape.number(optimizer)}
        if facts["optimizer"] and any(ref() is optimizer for ref in tape.local.stepping):
            facts["in_step"] = True
        metric = args[0] if args else kwargs.get("metrics")
        if isinstance(scheduler, ReduceLROnPlateau):
            facts["plateau"] = True
            facts.update({"counter": metric} if type(metric) is int else {})
        outcome = yield None
        if outcome.error is not None:
            facts["error"] = type(outcome.error).__name__
        number = tape.object(scheduler, "scheduler")
        tape.emit("schedule", number, {**facts, "lr": _rates(scheduler), "count": _count(scheduler)})

    return watch
