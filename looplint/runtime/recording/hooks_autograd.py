"""Hooks on the backward pass."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import torch

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook

# Where each of the two takes what a backward keeps: after the gradient of the loss.
_RETAIN, _CREATE = 2, 3


def install(tape: Tape, optimizers: Optimizers) -> None:
    # What a tensor's own method calls as well.
    hook(tape, "backwards", torch.autograd, "backward", _backward(tape, optimizers), "backward", alike=_kept_graph)
    hook(tape, "backwards", torch.autograd, "grad", _grad(tape), "backward", alike=_kept_graph)


def _backward(tape: Tape, optimizers: Optimizers) -> Callable[..., Watching]:
    def watch(*args: Any, **kwargs: Any) -> Watching:
        optimizers.notice_clears(filling=True)
        # What each optimizer's gradients already held: a backward adds to it.
        with tape.threads.guard:
            held = _held(tape, optimizers)
            before = {n: measure.gradient_marks(parameters) for n, parameters in held.items()}
        facts: dict[str, Any] = {"before": {n: len(marks) - marks.count(None) for n, marks in before.items()}}
        place = tape.place()
        loss = args[0] if args else kwargs.get("tensors")
        facts.update(_kept(args, kwargs), **_described(tape, loss, place))
        del loss, args, kwargs
        tape.reached = []
        outcome = yield None
        facts["forwards"] = tape.take_reached()
        if outcome.error is not None:
            facts["error"] = type(outcome.error).__name__
            facts["frozen"] = [n for n, parameters in held.items() if _frozen(parameters)]
        with tape.threads.guard:
            if not held and not tape.threads.foreign:
                optimizers.seek()
                held = _held(tape, optimizers)
                before = {n: [None for _ in measure.gradient_marks(parameters)] for n, parameters in held.items()}
            mine = {n: parameters for n, parameters in held.items() if optimizers.own(n)}
            facts["filled"] = [n for n, parameters in mine.items() if measure.gradient_marks(parameters) != before[n]]
        del held, mine
        tape.emit("backward", 0, facts, at=place)

    return watch


def _kept_graph(*args: Any, **kwargs: Any) -> Hashable:
    """The names of a backward's arguments, and which of them are true or false: those say what it keeps."""
    return tuple(a for a in args if isinstance(a, bool)), *((name, a if isinstance(a, bool) else None) for name, a in kwargs.items())


def _held(tape: Tape, optimizers: Optimizers) -> dict[int, list[torch.Tensor]]:
    """The parameters of each living optimizer, by its number."""
    return {n: measure.parameters_of(o) for o in optimizers.all() if (n := tape.number(o))}


def _frozen(parameters: list[torch.Tensor]) -> bool:
    return bool(parameters) and not any(p.requires_grad for p in parameters)


def _kept(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, bool]:
    """Whether a backward keeps its graph or creates one."""
    facts = {}
    for name, position in (("retain_graph", _RETAIN), ("create_graph", _CREATE)):
        if kwargs.get(name) or (len(args) > position and args[position]):
            facts[name] = True
    return facts


def _described(tape: Tape, loss: Any, place: int) -> dict[str, Any]:
    losses = [loss] if isinstance(loss, torch.Tensor) else list(measure.tensors_in(loss, 1))
    facts: dict[str, Any] = {}
    if tape.scalers:
        facts.update(next((found for one in losses if (found := measure.scaler_of(one))), {}))
    if len(losses) != 1:
        return facts
    (loss,) = losses
    if tape.sample("chain", place, 3):
        facts["chain"] = measure.loss_chain(loss)
    if not tape.off("loss values") and loss.numel() == 1 and tape.sample("loss", 0, 6):
        with tape.reading("loss values"):
            facts.update(measure.value("loss", loss))
    return facts


def _grad(tape: Tape) -> Callable[..., Watching]:
    """Gradients that are returned, not added up: their forwards count as used, but no optimizer's gradients are filled."""

    def watch(*args: Any, **kwargs: Any) -> Watching:
        place, tape.reached = tape.place(), []
        yield None
        tape.write({"record": "grad", "at": place, "forwards": tape.take_reached()})

    return watch
