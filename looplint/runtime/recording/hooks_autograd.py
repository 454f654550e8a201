"""Hooks on the backward pass."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import torch

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.tape import Tape


def install(tape: Tape, optimizers: Optimizers) -> None:
    torch.Tensor.backward = _backward(tape, optimizers, torch.Tensor.backward)  # type: ignore[method-assign]
    wrapped = _backward(tape, optimizers, torch.autograd.backward)
    torch.autograd.backward = wrapped
    _install_grad(tape)


def _backward(tape: Tape, optimizers: Optimizers, original: Callable[..., Any]) -> Callable[..., Any]:
    local = tape.local

    @functools.wraps(original)
    def backward(loss: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling() or "backward" in local.inside or tape.silent():
            return original(loss, *args, **kwargs)
        optimizers.notice_clears(filling=True)
        # What each optimizer's gradients already held: a backward adds to it.
        before = {n: measure.gradient_marks(optimizers.parameters(o, n)) for o in optimizers.all() if (n := tape.number(o))}
        facts: dict[str, Any] = {"before": {n: sum(m is not None for m in marks) for n, marks in before.items()}}
        place = tape.place(2)
        facts.update(_describe(tape, loss, place, args, kwargs))
        local.inside.add("backward")
        tape.reached = []
        try:
            result = original(loss, *args, **kwargs)
        except BaseException as error:
            facts["error"] = type(error).__name__
            raise
        finally:
            local.inside.discard("backward")
            facts["forwards"] = sorted(set(tape.reached))
            tape.reached = []
            living = [(o, tape.number(o)) for o in optimizers.all()]
            facts["filled"] = [n for o, n in living if n in before and measure.gradient_marks(optimizers.parameters(o, n)) != before[n]]
            tape.emit("backward", 0, facts, at=place)
        optimizers.count_backward()
        return result

    return backward


def _describe(tape: Tape, loss: Any, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if kwargs.get("retain_graph") or (len(args) > 1 and args[1]):
        facts["retain_graph"] = True
    if kwargs.get("create_graph") or (len(args) > 2 and args[2]):
        facts["create_graph"] = True
    if not isinstance(loss, torch.Tensor):
        return facts
    scaled = tape.local.scaled
    if scaled is not None and scaled[0]() is loss:
        facts["scaler"] = scaled[1]
    if tape.sample("chain", place, 3):
        facts["chain"] = measure.loss_chain(loss)
    if loss.numel() == 1 and not loss.is_meta and tape.sample("loss", 0, 6):
        tape.local.busy += 1
        began = time.perf_counter()
        facts["loss"] = float(loss.detach())
        tape.measuring += time.perf_counter() - began
        tape.local.busy -= 1
    return facts


def _install_grad(tape: Tape) -> None:
    """Gradients that are returned, not added up: their forwards count as used, but no optimizer's gradients are filled."""
    original = torch.autograd.grad
    local = tape.local

    @functools.wraps(original)
    def grad(*args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling() or "backward" in local.inside or tape.silent():
            return original(*args, **kwargs)
        local.inside.add("backward")
        tape.reached = []
        try:
            return original(*args, **kwargs)
        finally:
            local.inside.discard("backward")
            reached, tape.reached = sorted(set(tape.reached)), []
            tape.write({"record": "grad", "at": tape.place(2), "forwards": reached})

    torch.autograd.grad = grad
