"""Hooks on gradient scalers and on clipping."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

import torch

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.tape import Tape


def install(tape: Tape, optimizers: Optimizers) -> None:
    _install_scaler(tape, optimizers)
    _install_clip(tape, optimizers)


def _install_scaler(tape: Tape, optimizers: Optimizers) -> None:
    local = tape.local
    scaler_class = torch.amp.GradScaler

    def wrap(name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        original = getattr(scaler_class, name)
        setattr(scaler_class, name, functools.wraps(original)(make(original)))

    def construct(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            if not tape.silent() and not tape.number(self):
                enabled = self.is_enabled()
                number = tape.object(self, "scaler", {"enabled": enabled})
                tape.emit("construct", number, {"enabled": enabled})

        return run

    def scale(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, outputs: Any) -> Any:
            result = original(self, outputs)
            if isinstance(result, torch.Tensor) and self.is_enabled():
                local.scaled = (weakref.ref(result), tape.number(self))
            return result

        return run

    def unscale(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, optimizer: Any) -> Any:
            result = original(self, optimizer)
            if not tape.silent():
                tape.emit("unscale", tape.number(optimizer), {"scaler": tape.number(self)})
            return result

        return run

    def step(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if tape.silent():
                return original(self, optimizer, *args, **kwargs)
            local.scaler, local.stepped = tape.number(self), 0
            try:
                result = original(self, optimizer, *args, **kwargs)
            finally:
                local.scaler = 0
            if not local.stepped:
                # Gradients overflowed: the scaler left the step out.
                tape.emit(
                    "step", tape.number(optimizer), {"skipped": True, "scaler": tape.number(self), "lr": measure.learning_rates(optimizer)}
                )
                optimizers.count_step()
            return result

        return run

    def update(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            if not tape.silent():
                facts = {}
                if tape.sample("scale", tape.number(self)):
                    local.busy += 1
                    facts["scale"] = self.get_scale()
                    local.busy -= 1
                tape.emit("update", tape.number(self), facts)
            return result

        return run

    for name, make in {"__init__": construct, "scale": scale, "unscale_": unscale, "step": step, "update": update}.items():
        wrap(name, make)


def _install_clip(tape: Tape, optimizers: Optimizers) -> None:
    for name, limit in {"clip_grad_norm_": "max_norm", "clip_grad_value_": "clip_value"}.items():
        wrapped = _clip(tape, optimizers, getattr(torch.nn.utils, name), name, limit)
        setattr(torch.nn.utils, name, wrapped)
        setattr(torch.nn.utils.clip_grad, name, wrapped)


def _clip(tape: Tape, optimizers: Optimizers, original: Callable[..., Any], name: str, limit: str) -> Callable[..., Any]:
    local = tape.local

    @functools.wraps(original)
    def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling() or tape.silent():
            return original(parameters, *args, **kwargs)
        # A generator can be read once only: read it here, and hand on one that yields the same.
        items = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        handed = (
            parameters
            if isinstance(parameters, torch.Tensor)
            else (p for p in items)
            if isinstance(parameters, types.GeneratorType)
            else items
        )
        optimizers.notice_clears()
        bound = kwargs.get(limit, args[0] if args else None)
        facts: dict[str, Any] = {
            "function": name,
            limit: float(bound) if bound is not None else None,
            "grads": measure.with_gradient(items),
        }
        holders = optimizers.holding(items)
        result = original(handed, *args, **kwargs)
        if isinstance(result, torch.Tensor) and tape.sample("clip", 0, 7):
            facts["norm"] = float(result.detach())
        facts["holders"] = holders
        local.value_clipped |= limit == "clip_value"
        tape.emit("clip", holders[0] if holders else 0, facts)
        return result

    return clip
