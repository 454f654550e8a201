"""Hooks on checkpoints, and on loss functions whose input shows whether it is what they expect."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.optim.lr_scheduler import LRScheduler

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_modules import Modules
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.hooks_schedule import subclasses
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook

_CLOSE = 1e-3  # what counts as equal in single precision


def install(tape: Tape, optimizers: Optimizers, modules: Modules) -> None:
    read: dict[int, weakref.ref[torch.Tensor]] = {}  # the tensors that came from files, by their identities
    hook(tape, "files", torch, "save", _saved(tape), "file")
    hook(tape, "files", torch, "load", _loaded(tape, read), "file")
    torch.serialization.save, torch.serialization.load = torch.save, torch.load
    # A module's state_dict calls those of its parts: the outermost call is the event.
    for kind in (LRScheduler, *subclasses(LRScheduler), torch.amp.GradScaler):
        if "load_state_dict" in vars(kind):
            hook(tape, "states", kind, "load_state_dict", _state_given(tape), "state")
    for owner, number, given in (
        (nn.Module, modules.number, _module_given(tape, optimizers, modules, read)),
        (torch.optim.Optimizer, tape.number, _state_given(tape)),
    ):
        for name, watcher in (("state_dict", _state_taken(tape, number)), ("load_state_dict", given)):
            hook(tape, "states", owner, name, watcher, "state")
    for name in ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits"):
        hook(tape, "losses", functional, name, _loss(tape, name))


def _saved(tape: Tape) -> Callable[..., Watching]:
    def watch(*args: Any, **kwargs: Any) -> Watching:
        keys = _keys(args[0] if args else kwargs.get("obj"))
        if (yield None).error is None:
            tape.emit("save", 0, {"function": "torch.save", "keys": keys})

    return watch


def _loaded(tape: Tape, read: dict[int, weakref.ref[torch.Tensor]]) -> Callable[..., Watching]:
    def watch(source: Any = None, map_location: Any = None, *args: Any, **kwargs: Any) -> Watching:
        outcome = yield None
        if outcome.error is None:
            for tensor in _entries(outcome.result):
                read[id(tensor)] = weakref.ref(tensor)
            tape.emit("load", 0, {"function": "torch.load", "keys": _keys(outcome.result), "map_location": map_location is not None})

    return watch


def _entries(thing: Any, depth: int = 3) -> Iterator[torch.Tensor]:
    """The tensors of a checkpoint: of a dictionary, and of those in it."""
    for value in thing.values() if isinstance(thing, Mapping) else ():
        if isinstance(value, torch.Tensor):
            yield value
        elif depth:
            yield from _entries(value, depth - 1)


def _keys(thing: Any) -> list[str]:
    return [str(key) for key in list(thing)[:12]] if isinstance(thing, dict) else []


def _state_taken(tape: Tape, number: Callable[[Any], int]) -> Callable[..., Watching]:
    def watch(owner: Any, *args: Any, **kwargs: Any) -> Watching:
        if (yield None).error is None:
            tape.emit("save", number(owner), {"function": "state_dict"})

    return watch


def _state_given(tape: Tape) -> Callable[..., Watching]:
    def watch(owner: Any, *args: Any, **kwargs: Any) -> Watching:
        del args, kwargs
        if (yield None).error is None:
            tape.emit("load", tape.number(owner), {"function": "load_state_dict"})

    return watch


def _module_given(
    tape: Tape, optimizers: Optimizers, modules: Modules, read: Mapping[int, weakref.ref[torch.Tensor]]
) -> Callable[..., Watching]:
    def watch(owner: nn.Module, *args: Any, **kwargs: Any) -> Watching:
        state = args[0] if args else kwargs.get("state_dict")
        # A state that shares its storage with the module restores nothing.
        own = {t.data_ptr() for t in measure.locals_of([*owner.parameters(), *owner.buffers()]) if t.numel()}
        values = list(_entries(state, 0))
        given = [t for t in measure.locals_of(values) if t.numel()]
        facts: dict[str, Any] = {
            "function": "load_state_dict",
            "tensors": len(given),
            "shared": sum(t.data_ptr() in own for t in given),
            "holders": optimizers.holding(owner.parameters()),
        }
        if any((ref := read.get(id(t))) is not None and ref() is t for t in values):
            facts["from_file"] = True
        del args, kwargs, state, values, given
        if (yield None).error is None:
            tape.emit("load", modules.number(owner), facts)

    return watch


def _caller() -> int:
    """A cheap key for the place that calls a loss: the frames around it, as one number."""
    frame, place = sys._getframe(3), 0
    for _ in range(5):
        place = hash((place, id(frame.f_code), frame.f_lasti))
        if frame.f_back is None:
            break
        frame = frame.f_back
    return place


def _loss(tape: Tape, name: str) -> Callable[..., Watching]:
    """Samples whether the logits of a loss are probabilities already, and in a validation pass its target."""

    def watch(*args: Any, **kwargs: Any) -> Watching:
        given = args[0] if args else kwargs.get("input")
        if not isinstance(given, torch.Tensor) or not tape.sample("input", _caller(), 4):
            return
        values = measure.local(given)
        if values is None:
            return
        target = args[1] if len(args) > 1 else kwargs.get("target")
        enabled, facts = torch.is_grad_enabled(), dict[str, Any]()
        with tape.reading("losses"), torch.no_grad():
            facts.update(_described(name, values.detach()))
            if not enabled and isinstance(target, torch.Tensor) and target.numel() <= measure.MOST_COPIED:
                facts.update(target=measure.digest(target), loops=tape.running_loops())
        if facts:
            tape.write({"record": "loss", "function": name, "at": tape.place(), "events": tape.events, **facts})
        del args, kwargs, given, values, target
        yield None

    return watch


def _described(name: str, values: torch.Tensor) -> dict[str, bool]:
    low, high = map(float, torch.aminmax(values)) if values.numel() else (0.0, 0.0)
    facts = {"in_unit": low >= 0 and high <= 1}
    if name == "cross_entropy" and values.dim() >= 2:
        # Probabilities are in the unit, and no logarithm of one is above zero: most logits need no sums.
        facts["sums_to_one"] = facts["in_unit"] and bool(((values.float().sum(1) - 1).abs() < _CLOSE).all())
        facts["log_probabilities"] = high < _CLOSE and bool(((values.float().logsumexp(1)).abs() < _CLOSE).all())
    return facts
