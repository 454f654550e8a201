"""Hooks on optimizers."""

from __future__ import annotations

import functools
import time
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from looplint.runtime.recording import measure
from looplint.runtime.recording.tape import Tape


class StepLimit(BaseException):
    """Ends the script after as much as was asked for, which is its text. Not an Exception: scripts catch those."""


class Optimizers:
    """What is known of the optimizers that live."""

    def __init__(self, tape: Tape, step_limit: int = 0) -> None:
        self.tape = tape
        self.step_limit = step_limit
        self.backwards = 0
        self.living: list[weakref.ref[Any]] = []
        self._parameters: dict[int, tuple[tuple[int, ...], list[torch.Tensor]]] = {}
        # How the gradients were left by the last step, to notice clears that are no call (`p.grad = None`).
        self.left: dict[int, tuple[int, tuple[int, int] | None]] = {}
        self.before: dict[int, dict[str, Any]] = {}
        self.kept: list[tuple[int, list[torch.Tensor], list[str]]] = []
        self.tracked: Callable[[], list[torch.nn.Module]] = list

    def all(self) -> list[Any]:
        found = [o for ref in self.living if (o := ref()) is not None]
        if len(found) < len(self.living):
            self.living = [ref for ref in self.living if ref() is not None]
        return found

    def parameters(self, optimizer: Any, number: int) -> list[torch.Tensor]:
        """Its parameters, collected again when a group or its size changed."""
        shape = tuple(len(g["params"]) for g in optimizer.param_groups)
        known = self._parameters.get(number)
        if known is None or known[0] != shape or (known[1] and known[1][0] is not optimizer.param_groups[0]["params"][0]):
            known = self._parameters[number] = (shape, measure.parameters_of(optimizer))
        return known[1]

    def holding(self, parameters: Iterable[Any]) -> list[int]:
        """The numbers of the optimizers that hold one of these parameters."""
        wanted = {id(p) for p in parameters}
        found = []
        for optimizer in self.all():
            number = self.tape.number(optimizer)
            if any(id(p) in wanted for p in self.parameters(optimizer, number)):
                found.append(number)
        return found

    def notice_clears(self, filling: bool = False) -> None:
        """Emits the clears that happened since the last step without a call of zero_grad; `filling` says that a backward comes next."""
        for optimizer in self.all() if self.left else ():
            number = self.tape.number(optimizer)
            left = self.left.get(number)
            if left is None:
                continue
            cleared = self._cleared(self.parameters(optimizer, number), left)
            if cleared or filling:
                del self.left[number]
            if cleared:
                self.tape.emit("clear", number, {"inferred": True})

    @staticmethod
    def _cleared(parameters: list[torch.Tensor], left: tuple[int, tuple[int, int] | None]) -> bool:
        present, first = left
        if present and measure.with_gradient(parameters) == 0:
            return True
        holder = next((p for p in parameters if p.grad is not None), None)
        if holder is None or holder.grad is None or first is None or (id(holder.grad), holder.grad._version) == first:
            return False
        return not bool(holder.grad.detach().any())

    def leave(self, number: int, parameters: list[torch.Tensor]) -> None:
        holder = next((p for p in parameters if p.grad is not None), None)
        first = (id(holder.grad), holder.grad._version) if holder is not None and holder.grad is not None else None
        self.left[number] = (measure.with_gradient(parameters), first)

    def count_step(self) -> None:
        self.tape.steps += 1
        self.tape.trained.update(position[0] for _, position in self.tape.loops)
        if self.step_limit and self.tape.steps >= self.step_limit:
            raise StepLimit(f"{self.tape.steps} steps")

    def count_backward(self) -> None:
        """A program that never steps is ended too, after more backwards than an accumulation over steps would need."""
        self.backwards += 1
        if self.step_limit and not self.tape.steps and self.backwards >= max(100, 10 * self.step_limit):
            raise StepLimit(f"{self.backwards} backwards without a step")

    def digests(self) -> list[dict[str, Any]]:
        """For each optimizer, fingerprints of its parameters when it was built and now."""
        return [{"object": number, "start": start, "end": measure.digests(parameters)} for number, parameters, start in self.kept]


def install(tape: Tape, optimizers: Optimizers) -> None:
    _install_construct(tape, optimizers)
    _install_clear(tape, optimizers)
    _install_step(tape, optimizers)


def _install_construct(tape: Tape, optimizers: Optimizers) -> None:
    original = torch.optim.Optimizer.__init__

    @functools.wraps(original)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if tape.silent():
            return
        parameters = measure.parameters_of(self)
        facts = {
            "parameters": len(parameters),
            "elements": sum(p.numel() for p in parameters if not _lazy(p)),
            "lr": measure.learning_rates(self),
        }
        number = tape.object(self, "optimizer", facts)
        optimizers.living.append(weakref.ref(self))
        tape.local.busy += 1
        start = [] if any(map(_lazy, parameters)) else measure.digests(parameters)
        tape.local.busy -= 1
        optimizers.kept = [*optimizers.kept, (number, parameters, start)][-4:]
        tape.emit("construct", number, {**facts, "grads": measure.with_gradient(parameters)})

    torch.optim.Optimizer.__init__ = construct  # type: ignore[method-assign]


def _lazy(parameter: torch.Tensor) -> bool:
    return isinstance(parameter, UninitializedParameter)


def _install_clear(tape: Tape, optimizers: Optimizers) -> None:
    original = torch.optim.Optimizer.zero_grad

    @functools.wraps(original)
    def clear(self: Any, *args: Any, **kwargs: Any) -> Any:
        number = tape.number(self)
        if not number or tape.silent():
            return original(self, *args, **kwargs)
        held = measure.with_gradient(optimizers.parameters(self, number))
        result = original(self, *args, **kwargs)
        optimizers.left.pop(number, None)
        tape.emit("clear", number, {"grads": held, **measure.zeros_left(optimizers.parameters(self, number), args, kwargs)})
        return result

    torch.optim.Optimizer.zero_grad = clear  # type: ignore[method-assign]


def _install_step(tape: Tape, optimizers: Optimizers) -> None:
    local = tape.local

    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        if torch.compiler.is_compiling() or tape.silent():
            return
        number = tape.number(optimizer)
        if not number:
            return
        optimizers.notice_clears()
        parameters = optimizers.parameters(optimizer, number)
        facts: dict[str, Any] = {"grads": measure.with_gradient(parameters), "lr": measure.learning_rates(optimizer)}
        if parameters and not any(p.requires_grad for p in parameters):
            facts["frozen"] = True
        closure = bool(args[1:] or kwargs.get("closure")) if args and args[0] is optimizer else bool(args or kwargs.get("closure"))
        if closure:
            facts["closure"] = True
        local.busy += 1
        began = time.perf_counter()
        if tape.sample("norm", number, 5) and not closure:
            facts["norm"] = measure.norm(p.grad for p in parameters)
            if local.value_clipped:
                facts["largest"] = measure.largest(p.grad for p in parameters)
        if tape.sample("change", number, 3) and tape.affordable():
            facts["copies"] = measure.copies(parameters)
        tape.measuring += time.perf_counter() - began
        local.busy -= 1
        optimizers.before[number] = facts
        tape.stepping.add(number)

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        if torch.compiler.is_compiling() or tape.silent():
            return
        number = tape.number(optimizer)
        facts = optimizers.before.pop(number, None)
        tape.stepping.discard(number)
        if facts is None:
            return
        parameters = optimizers.parameters(optimizer, number)
        local.busy += 1
        began = time.perf_counter()
        copies = facts.pop("copies", None)
        if copies is not None:
            facts["change"] = measure.relative_change(copies)
            facts.update(_held(optimizers, optimizer, parameters), **measure.memory())
        if facts.get("closure"):
            facts["norm"] = measure.norm(p.grad for p in parameters)
            facts["grads"] = measure.with_gradient(parameters)
        tape.measuring += time.perf_counter() - began
        local.busy -= 1
        if local.scaler:
            facts["scaler"] = local.scaler
        optimizers.leave(number, parameters)
        tape.emit("step", number, facts)
        local.stepped += 1
        optimizers.count_step()

    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(after)


def _held(optimizers: Optimizers, optimizer: Any, parameters: list[torch.Tensor]) -> dict[str, int]:
    """How the optimizer's parameters and the modules that ran differ: `orphans` are in no module, `strays` have gradients and are in no optimizer."""
    modules = optimizers.tracked()
    if not modules:
        return {}
    mine = {id(p) for p in parameters}
    anyones = {id(p) for other in optimizers.all() for p in optimizers.parameters(other, optimizers.tape.number(other))}
    living = {id(p): p for module in modules for p in module.parameters()}
    displaced = 0
    plain = type(optimizer).__module__.startswith("torch.optim")  # others may keep their state in another type on purpose
    for parameter, state in optimizer.state.items():
        for value in state.values() if isinstance(state, dict) else ():
            if isinstance(value, torch.Tensor) and value.shape == parameter.shape and value.numel() > 1:
                displaced += value.device != parameter.device or (plain and value.is_floating_point() and value.dtype != parameter.dtype)
    strays = [p for key, p in living.items() if key not in anyones and p.grad is not None]
    return {"orphans": sum(key not in living for key in mine), "strays": len(strays), "displaced": displaced}
