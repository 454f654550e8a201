"""Hooks on gradient scalers and on clipping."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import tee
from typing import Any

import torch

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.limits import Limits
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook, watched


def install(tape: Tape, optimizers: Optimizers, limits: Limits) -> None:
    scaler = torch.amp.GradScaler
    for name, watcher in {
        "__init__": _construct(tape),
        "scale": _scale(tape),
        "unscale_": _unscale(tape),
        "step": _step(tape, limits),
        "update": _update(tape),
    }.items():
        hook(tape, "scalers", scaler, name, watcher)
    for name, limit in {"clip_grad_norm_": "max_norm", "clip_grad_value_": "clip_value"}.items():
        wrapped = watched(tape, "clips", getattr(torch.nn.utils, name), _clip(tape, optimizers, name, limit), alike=_limits)
        setattr(torch.nn.utils, name, wrapped)
        setattr(torch.nn.utils.clip_grad, name, wrapped)


def _construct(tape: Tape) -> Callable[..., Watching]:
    def watch(scaler: Any, *args: Any, **kwargs: Any) -> Watching:
        if (yield None).error is None and not tape.number(scaler):
            enabled = scaler.is_enabled()
            tape.emit("construct", tape.object(scaler, "scaler", {"enabled": enabled}), {"enabled": enabled})

    return watch


def _scale(tape: Tape) -> Callable[..., Watching]:
    """A scaler that is off gives the loss back as it is; that it went through one is noted all the same."""

    def watch(scaler: Any, *args: Any, **kwargs: Any) -> Watching:
        outcome = yield None
        for loss in measure.tensors_in(outcome.result):
            measure.mark_scaled(loss, tape.number(scaler), scaler.is_enabled())
            if not tape.scalers:
                tape.scalers = True
                tape.pauses.forbid()  # whether a loss was scaled is marked on its graph

    return watch


def _unscale(tape: Tape) -> Callable[..., Watching]:
    def watch(scaler: Any, optimizer: Any) -> Watching:
        if (yield None).error is None:
            tape.emit("unscale", tape.number(optimizer), {"scaler": tape.number(scaler)})
        else:
            tape.write({"record": "scaler failed", "scaler": tape.number(scaler), "optimizer": tape.number(optimizer)})

    return watch


def _step(tape: Tape, limits: Limits) -> Callable[..., Watching]:
    local = tape.local

    def watch(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Watching:
        local.scaler, local.stepped = tape.number(scaler), 0
        outcome = yield None
        local.scaler = 0
        if outcome.error is not None:
            tape.write({"record": "scaler failed", "scaler": tape.number(scaler), "optimizer": tape.number(optimizer)})
        if not local.stepped and outcome.error is None and tape.number(optimizer) and "steps" not in tape.failed:
            # Gradients overflowed: the scaler left the step out.
            rates = measure.learning_rates(optimizer)
            tape.emit("step", tape.number(optimizer), {"skipped": True, "scaler": tape.number(scaler), "lr": rates})
            limits.step()

    return watch


def _update(tape: Tape) -> Callable[..., Watching]:
    def watch(scaler: Any, *args: Any, **kwargs: Any) -> Watching:
        if (yield None).error is not None:
            return
        facts = {}
        if not tape.off("scales") and tape.sample("scale", tape.number(scaler)):
            with tape.reading("scales"):
                facts["scale"] = scaler.get_scale()
        tape.emit("update", tape.number(scaler), facts)

    return watch


def _limits(*args: Any, **kwargs: Any) -> Hashable:
    """The limits that a clip is given by position, and the names of its other arguments."""
    return tuple(limit for limit in args[1:] if isinstance(limit, (int, float))), *kwargs


def _clip(tape: Tape, optimizers: Optimizers, name: str, limit: str) -> Callable[..., Watching]:
    local = tape.local

    def watch(*args: Any, **kwargs: Any) -> Watching:
        if not args and "parameters" not in kwargs:
            return  # a call that fails
        parameters = args[0] if args else kwargs["parameters"]
        optimizers.notice_clears()
        bound = kwargs.get(limit, args[1] if len(args) > 1 else None)
        items: list[Any] = []
        if isinstance(parameters, Iterator):
            # It can be read only once: what the call reads is kept.
            given, kept = tee(parameters)
            outcome = yield ((given, *args[1:]), kwargs) if args else ((), {**kwargs, "parameters": given})
            items += kept if outcome.error is None else ()
        else:
            items += [parameters] if isinstance(parameters, torch.Tensor) else parameters
            outcome = yield None
        if outcome.error is not None:
            return
        # A clip changes gradients, and not whether they are there.
        facts: dict[str, Any] = {
            "function": name,
            "given": len(items),
            "grads": measure.with_gradient(items),
            "holders": optimizers.holding(items),
        }
        facts[limit] = bound if isinstance(bound, (int, float)) else None
        local.value_clipped |= limit == "clip_value"
        sampled = tape.sample("clip", 0, 7) and "norms" not in tape.failed
        with tape.reading("norms"):
            if isinstance(bound, torch.Tensor):
                facts.update(measure.value(limit, bound))
            if isinstance(outcome.result, torch.Tensor) and sampled:
                facts.update(measure.value("norm", outcome.result))
        tape.emit("clip", next(iter(facts["holders"]), 0), facts)

    return watch
