"""Hooks on optimizers."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable
from typing import Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from looplint.runtime.recording import measure
from looplint.runtime.recording.final import FinalValues
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook, identity, shielded

MOST_ASSIGNED = 64  # assignments to modules that are followed
MOST_READ = 8  # gradients that are read to see whether they were filled with zeros; the first that was not ends it


class Optimizers:
    """What is known of the live optimizers. It holds no reference to them or to parameters."""

    def __init__(self, tape: Tape, final: FinalValues) -> None:
        self.tape, self.final = tape, final
        self.living: dict[int, weakref.ref[Any]] = {}
        # By number, which is forgotten when the optimizer ends: how the last step left the gradients, to notice clears that are no call (`p.grad = None`).
        self.left: dict[int, tuple[int, bool]] = {}
        self.before: dict[int, dict[str, Any]] = {}
        # The parameters that were assigned to modules last, by the numbers of these events: whether an optimizer holds them is looked at when one steps.
        self.assigned: dict[int, list[weakref.ref[torch.Tensor]]] = {}
        self.users: dict[int, int] = {}  # by number: the thread that stepped or cleared an optimizer last
        self.tracked: Callable[[], list[torch.nn.Module]] = list
        self.seek: Callable[[], None] = lambda: None  # looks for optimizers of classes that are not torch's
        tape.forgetting.append(self._forget)

    def _forget(self, number: int) -> None:
        self.living.pop(number, None)
        self.left.pop(number, None)
        self.before.pop(number, None)
        self.users.pop(number, None)

    def add(self, optimizer: Any, number: int) -> None:
        self.living[number] = weakref.ref(optimizer)

    def all(self) -> list[Any]:
        """The living ones, of which this thread may read the gradients."""
        return [o for number, ref in list(self.living.items()) if self.own(number) and (o := ref()) is not None]

    def own(self, number: int) -> bool:
        """Whether no other thread trains what an optimizer holds."""
        return not self.tape.threads.foreign or self.users.get(number) == self.tape.local.thread

    def use(self, number: int) -> None:
        """Notes that this thread steps or clears an optimizer."""
        self.users[number] = self.tape.local.thread

    def holding(self, parameters: Iterable[Any]) -> list[int]:
        """The numbers of the optimizers that hold one of these parameters."""
        wanted = set(map(id, parameters))
        return [self.tape.number(o) for o in self.all() if not wanted.isdisjoint(map(id, measure.parameters_of(o)))]

    def assign(self, event: int, parameters: Iterable[torch.Tensor]) -> None:
        """Notes the parameters that an assignment gave to a module."""
        self.assigned[event] = [weakref.ref(parameter) for parameter in parameters]
        if len(self.assigned) > MOST_ASSIGNED:
            del self.assigned[next(iter(self.assigned))]

    def strays(self, held: Collection[int]) -> dict[int, int]:
        """By assignment: how many of its parameters have gradients and are not among those held; none of those of which none has gradients or is held."""
        living = {event: [p for ref in refs if (p := ref()) is not None] for event, refs in self.assigned.items()}
        return {
            event: sum(id(p) not in held and p.grad is not None for p in parameters)
            for event, parameters in living.items()
            if any(id(p) in held or p.grad is not None for p in parameters)
        }

    def notice_clears(self, filling: bool = False) -> None:
        """Emits the clears that happened since the last step without a call of zero_grad; `filling`: a backward comes next."""
        with self.tape.threads.guard:
            self._notice_clears(filling)

    def _notice_clears(self, filling: bool) -> None:
        for optimizer in self.all() if self.left else ():
            number = self.tape.number(optimizer)
            left = self.left.get(number)
            if left is None:
                continue
            with self.tape.reading("clears"):
                cleared = self._cleared(measure.parameters_of(optimizer), left)
                if cleared or filling:
                    self.left.pop(number, None)
                if cleared:
                    self.tape.emit("clear", number, {"inferred": True})

    @staticmethod
    def _cleared(parameters: list[torch.Tensor], left: tuple[int, bool]) -> bool:
        present, zero = left
        if present and measure.with_gradient(parameters) == 0:
            return True
        # Writing through `.data` leaves a gradient's version as it is, so only the values show it. Gradients that were zeros before show nothing.
        if zero or not present:
            return False
        held = [measure.entries(gradient) for gradient in measure.locals_of(p.grad for p in parameters)]
        # Mostly the first row shows already that they are none.
        first = [gradient[:1] for gradient in held[:1] if gradient.dim()]
        return bool(held) and not any(bool(part.any()) for part in (*first, *held[:: max(1, len(held) // MOST_READ)]))

    def leave(self, number: int, parameters: list[torch.Tensor], norm: float | None) -> None:
        """Notes how a step leaves the gradients; `norm` is theirs, where it was measured."""
        self.left[number] = (measure.with_gradient(parameters), norm == 0.0)


def install(tape: Tape, optimizers: Optimizers) -> None:
    kind = torch.optim.Optimizer
    hook(tape, "optimizers", kind, "__init__", _construct(tape, optimizers))
    hook(tape, "clears", kind, "zero_grad", _clear(tape, optimizers), alike=identity)
    register_optimizer_step_pre_hook(shielded(tape, "steps", _before_step(tape, optimizers), identity))
    register_optimizer_step_post_hook(shielded(tape, "steps", _after_step(tape, optimizers)))


def _construct(tape: Tape, optimizers: Optimizers) -> Callable[..., Watching]:
    def watch(optimizer: Any, *args: Any, **kwargs: Any) -> Watching:
        del args, kwargs
        if (yield None).error is None:
            register(tape, optimizers, optimizer)

    return watch


def register(tape: Tape, optimizers: Optimizers, optimizer: Any) -> int:
    """The number of an optimizer that the recorder has not seen before: one that is new, a copy, or one that was made before the process was forked."""
    parameters = measure.parameters_of(optimizer)
    facts = {
        "parameters": len(parameters),
        "elements": sum(p.numel() for p in parameters if not _lazy(p)),
        "lr": measure.learning_rates(optimizer),
    }
    number = tape.object(optimizer, "optimizer", facts)
    optimizers.add(optimizer, number)
    if tape.local.thread:  # what the script's first thread builds, others may train
        optimizers.use(number)
    with tape.reading("final values"):
        optimizers.final.add_optimizer(optimizer, number, [] if any(map(_lazy, parameters)) else parameters)
    mine = set(map(id, parameters))
    modules = [tape.number(module) for module in optimizers.tracked() if not mine.isdisjoint(map(id, module.parameters()))]
    tape.emit("construct", number, {**facts, "grads": measure.with_gradient(parameters), "modules": modules})
    return number


def _lazy(parameter: torch.Tensor) -> bool:
    return isinstance(parameter, UninitializedParameter)


def _clear(tape: Tape, optimizers: Optimizers) -> Callable[..., Watching]:
    def watch(optimizer: Any, *args: Any, **kwargs: Any) -> Watching:
        number = tape.number(optimizer) or register(tape, optimizers, optimizer)
        optimizers.use(number)
        held = measure.with_gradient(measure.parameters_of(optimizer))
        if (yield None).error is not None:
            return
        optimizers.left.pop(number, None)
        tape.emit("clear", number, {"grads": held, **measure.zeros_left(measure.parameters_of(optimizer), args, kwargs)})

    return watch


def _before_step(tape: Tape, optimizers: Optimizers) -> Callable[..., None]:
    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        number = tape.number(optimizer) or register(tape, optimizers, optimizer)
        if len(tape.local.stepping) > 1:
            # One optimizer's step that calls another's is one step; the inner one is no optimizer of its own to the rules.
            tape.write({"record": "inner", "object": number})
            return
        optimizers.use(number)
        optimizers.notice_clears()
        optimizers.before[number] = begin_step(tape, optimizer, number, measure.parameters_of(optimizer), args, kwargs)

    return before


def begin_step(
    tape: Tape, optimizer: Any, number: int, parameters: list[torch.Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """What is measured before a step."""
    facts: dict[str, Any] = {"grads": measure.with_gradient(parameters), "lr": measure.learning_rates(optimizer)}
    if parameters and not any(p.requires_grad for p in parameters):
        facts["frozen"] = True
    closure = bool(args[1:] or kwargs.get("closure")) if args and args[0] is optimizer else bool(args or kwargs.get("closure"))
    if closure:
        facts["closure"] = True
    scale, overflow = getattr(optimizer, "grad_scale", None), getattr(optimizer, "found_inf", None)
    if isinstance(scale, torch.Tensor) or isinstance(overflow, torch.Tensor):
        with tape.reading("scales"):
            facts.update(_scale(scale, overflow))
    if not closure and not tape.off("norms") and tape.sample("norm", number, 5):
        with tape.reading("norms"):
            facts.update(_norms(tape, parameters, facts.get("scale", 1.0)))
    if not tape.off("changes") and tape.sample("change", number, 3):
        with tape.reading("changes"):
            facts["copies"] = measure.copies(parameters)
    return facts


def _scale(scale: Any, overflow: Any) -> dict[str, Any]:
    """The scale for an optimizer that unscales the gradients in its own step, and skips the step where they overflowed."""
    facts: dict[str, Any] = {}
    if isinstance(scale, torch.Tensor):
        facts["scale"] = float(scale)
    if isinstance(overflow, torch.Tensor) and float(overflow):
        facts["skipped"] = True
    return facts


def _norms(tape: Tape, parameters: list[torch.Tensor], scale: float) -> dict[str, float]:
    facts = {"norm": measure.norm(p.grad for p in parameters) / scale}
    if tape.local.value_clipped:
        facts["largest"] = measure.largest(p.grad for p in parameters) / scale
    return facts


def _after_step(tape: Tape, optimizers: Optimizers) -> Callable[..., None]:
    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        number = tape.number(optimizer)
        facts = optimizers.before.pop(number, None)
        if facts is not None:
            end_step(tape, optimizers, optimizer, number, facts)

    return after


def end_step(tape: Tape, optimizers: Optimizers, optimizer: Any, number: int, facts: dict[str, Any]) -> None:
    """What is measured after a step; writes it all."""
    parameters = measure.parameters_of(optimizer)
    copies = facts.pop("copies", None)
    if copies is not None:
        with tape.reading("changes"):
            facts["change"] = measure.relative_change(copies)
            del copies  # they are the recorder's own memory
            facts.update(measure.memory(tape.size))
            with tape.threads.guard:
                facts.update(_held(optimizers, optimizer, parameters) if not tape.threads.foreign else {})
    if facts.get("closure"):
        with tape.reading("norms"):
            facts["norm"] = measure.norm(p.grad for p in parameters)
        facts["grads"] = measure.with_gradient(parameters)
    local = tape.local
    if local.scaler:
        facts["scaler"] = local.scaler
    optimizers.leave(number, parameters, facts.get("norm"))
    local.stepped += 1
    tape.emit("step", number, facts)


def _held(optimizers: Optimizers, optimizer: Any, parameters: list[torch.Tensor]) -> dict[str, Any]:
    """How the optimizer's parameters and the modules that ran differ: `orphans` are in no module, `strays` have gradients and are in no optimizer."""
    modules = optimizers.tracked()
    if not modules:
        return {}
    mine = {id(p) for p in parameters}
    anyones = {id(p) for other in optimizers.all() for p in measure.parameters_of(other)}
    living = {id(p): p for module in modules for p in module.parameters()}
    displaced = 0
    plain = type(optimizer).__module__.startswith("torch.optim")  # others may keep their state in another type on purpose
    states = getattr(optimizer, "state", {})
    for parameter, state in states.items() if isinstance(states, dict) else ():
        kept = [v for v in state.values() if isinstance(v, torch.Tensor) and v.numel() > 1] if isinstance(state, dict) else ()
        if kept:
            device, dtype, shape = parameter.device, parameter.dtype, parameter.shape
            displaced += sum(
                v.shape == shape and (v.device != device or (plain and v.dtype != dtype and v.is_floating_point())) for v in kept
            )
    strays = [p for key, p in living.items() if key not in anyones and p.grad is not None]
    found: dict[str, Any] = {"orphans": sum(key not in living for key in mine), "strays": len(strays), "displaced": displaced}
    if assigned := optimizers.strays(anyones):
        found["assigned"] = assigned
    return found
