"""Hooks on modules: forwards, modes, moves, and what is put in their place."""

from __future__ import annotations

import functools
import time
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import torch
from torch import nn

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.tape import Tape

KEPT = 4  # trained models whose final parameters the end of the stream fingerprints


class Modules:
    """What is known of the modules that user code calls."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.living: dict[int, weakref.ref[nn.Module]] = {}
        self.learning: set[int] = set()  # those with parameters
        # The trained models, held so that their parameters can be read when the script is over.
        self.kept: dict[int, nn.Module] = {}
        self._parts: dict[int, tuple[list[nn.Module], list[nn.Module]]] = {}
        self.hold_bytes = True  # reading what a graph saved would call the user's hooks where there are any

    def number(self, module: nn.Module) -> int:
        known = self.tape.number(module)
        if known:
            return known
        parameters = list(module.parameters())
        facts = {"parameters": len(parameters), "trainable": sum(p.requires_grad for p in parameters)}
        number = self.tape.object(module, "module", facts)
        self.living[number] = weakref.ref(module)
        if parameters:
            self.learning.add(number)
        return number

    def learns(self, module: nn.Module) -> bool:
        """Whether the module has parameters; asked again at times of one that had none, for some get them late."""
        number = self.number(module)
        if number in self.learning:
            return True
        if self.tape.sample("learns", number, 2) and next(module.parameters(), None) is not None:
            self.learning.add(number)
        return number in self.learning

    def with_parameters(self) -> list[nn.Module]:
        return [m for ref in self.living.values() if (m := ref()) is not None and next(m.parameters(), None) is not None]

    def modes(self, module: nn.Module, number: int) -> dict[str, Any]:
        """The mode of the module and of its parts, and how many parts act differently in training."""
        if number not in self._parts or self.tape.sample("parts", number, 4):
            parts = list(module.modules())
            self._parts[number] = (parts, [part for part in parts if _has_mode(part)])
        parts, moody = self._parts[number]
        facts: dict[str, Any] = {"training": module.training}
        if moody:
            facts["moody"] = len(moody)
            facts["active"] = sum(part.training for part in moody)
        if len(parts) > 1 and (len(parts) <= 64 or self.tape.sample("modes", number, 4)):
            training = sum(part.training for part in parts)
            if training not in (0, len(parts)):
                facts["mixed"] = [training, len(parts)]
        return facts

    def forget_parts(self) -> None:
        self._parts.clear()

    def keep(self, number: int, module: nn.Module) -> None:
        if number not in self.kept:
            self.kept[number] = module
            if len(self.kept) > KEPT:
                del self.kept[next(iter(self.kept))]

    def digests(self) -> list[dict[str, Any]]:
        """For each trained model, fingerprints of its parameters and buffers now."""
        result = []
        for number, module in self.kept.items():
            tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
            values = measure.digests(list(tensors.values()))
            result.append({"object": number, "tensors": dict(zip(tensors, values, strict=False))})
        return result


def _has_mode(module: nn.Module) -> bool:
    """Whether the module itself acts differently in training: it drops, or it keeps running statistics."""
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0
    if isinstance(module, nn.modules.batchnorm._NormBase):
        return module.track_running_stats
    rate = getattr(module, "dropout", None)
    return (isinstance(rate, float) and rate > 0) or _asks_for_its_mode(type(module))


_ASKING: dict[type, bool] = {}


def _asks_for_its_mode(cls: type) -> bool:
    """Whether a method of the program's own class reads `self.training`: it hands it to a functional dropout, or takes another way."""
    if cls not in _ASKING:
        own = [c for c in cls.__mro__ if issubclass(c, nn.Module) and not c.__module__.startswith("torch.")]
        _ASKING[cls] = any("training" in f.__code__.co_names for c in own for f in vars(c).values() if isinstance(f, FunctionType))
    return _ASKING[cls]


def install(tape: Tape, optimizers: Optimizers, modules: Modules) -> None:
    optimizers.tracked = modules.with_parameters
    _install_forward(tape, optimizers, modules)
    _install_modes(tape, modules)
    _install_moves(tape, modules)
    _install_replace(tape, optimizers, modules)
    _install_clear(tape, optimizers, modules)
    _notice_saving_hooks(modules)


def _install_forward(tape: Tape, optimizers: Optimizers, modules: Modules) -> None:
    original: Callable[..., Any] = nn.Module.__call__
    local = tape.local
    compiling = torch.compiler.is_compiling

    @functools.wraps(original)
    def call(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        # Only the call that user code makes is an event; the calls inside it are the module's own affair. So are calls of what has no parameters: a loss
        # or an activation learns nothing, and is called as often as a model.
        if compiling():
            return original(self, *args, **kwargs)
        inside = local.inside
        if "forward" in inside or "backward" in inside or tape.silent():
            return original(self, *args, **kwargs)
        if not modules.learns(self):
            return original(self, *args, **kwargs)
        place = tape.place(2)
        _sample_graph(tape, modules, place)
        given = _given(tape, place, args, kwargs)
        inside.add("forward")
        try:
            result = original(self, *args, **kwargs)
        finally:
            inside.discard("forward")
        _emit_forward(tape, optimizers, modules, self, result, place, given)
        return result

    nn.Module.__call__ = call  # type: ignore[method-assign]


def _given(tape: Tape, place: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, str]:
    """A fingerprint of what a forward in the body of a loop over a loader is given, of the first ones at each place."""
    if not tape.running_loops() or not tape.sample("given", place, 2) or not tape.affordable():
        return {}
    tape.local.busy += 1
    began = time.perf_counter()
    first = next(measure.tensors_in([*args, *kwargs.values()]), None)
    facts = {"given": measure.digest(first)} if first is not None and first.numel() <= measure.MOST_COPIED else {}
    tape.measuring += time.perf_counter() - began
    tape.local.busy -= 1
    return facts


def _emit_forward(
    tape: Tape, optimizers: Optimizers, modules: Modules, module: nn.Module, result: Any, place: int, given: dict[str, str]
) -> None:
    number = modules.number(module)
    enabled = torch.is_grad_enabled()
    facts = {**modules.modes(module, number), "grad_enabled": enabled, **given}
    if torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda"):
        device = "cuda" if torch.is_autocast_enabled("cuda") else "cpu"
        facts["autocast"] = str(torch.get_autocast_dtype(device)).removeprefix("torch.")
    output = next((t for t in measure.tensors_in(result) if t.grad_fn is not None), None) if enabled else None
    if output is not None:
        facts["graph"] = True
        if tape.sample("holders", number, 3):
            facts["holders"] = optimizers.holding(module.parameters())
    event = tape.emit("forward", number, facts, at=place)
    if output is not None:
        output.grad_fn.register_prehook(_Reached(tape, event))  # type: ignore[union-attr]
        if module.training:
            modules.keep(number, module)


class _Reached:
    """Notes, when a backward comes through a forward's output, that it did; it leaves the gradients as they are."""

    __slots__ = ("event", "tape")

    def __init__(self, tape: Tape, event: int) -> None:
        self.tape = tape
        self.event = event

    def __call__(self, gradients: Any) -> None:
        # A backward on a device runs in a thread of its own, so the list is the tape's and not the thread's.
        self.tape.reached.append(self.event)


def _sample_graph(tape: Tape, modules: Modules, place: int) -> None:
    """What is alive just before a forward is what earlier iterations left behind."""
    if not tape.sample("graph", place, 2) or not tape.affordable():
        return
    tape.local.busy += 1
    began = time.perf_counter()
    facts = {**measure.live_graph(modules.hold_bytes), **measure.memory()}
    tape.measuring += time.perf_counter() - began
    tape.local.busy -= 1
    tape.write({"record": "graph", "at": place, "time": round(tape.now(), 6), "loops": tape.running_loops(), **facts})


def _install_modes(tape: Tape, modules: Modules) -> None:
    original = nn.Module.train
    local = tape.local

    @functools.wraps(original)
    def train(self: nn.Module, mode: bool = True) -> nn.Module:
        if "mode" in local.inside or tape.silent():
            return original(self, mode)
        local.inside.add("mode")
        try:
            result = original(self, mode)
        finally:
            local.inside.discard("mode")
        tape.emit("train" if mode else "eval", modules.number(self), {})
        return result

    nn.Module.train = train  # type: ignore[method-assign,assignment]  # eval() calls it


def _install_moves(tape: Tape, modules: Modules) -> None:
    local = tape.local

    def wrap(name: str) -> None:
        original = getattr(nn.Module, name)

        @functools.wraps(original)
        def move(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if "move" in local.inside or tape.silent():
                return original(self, *args, **kwargs)
            before = {id(p): (p, p.device, p.dtype) for p in self.parameters()}
            local.inside.add("move")
            try:
                result = original(self, *args, **kwargs)
            finally:
                local.inside.discard("move")
            first = next(self.parameters(), None)
            after = [(before.get(id(p)), p.device, p.dtype) for p in self.parameters()]
            facts: dict[str, Any] = {
                "method": name,
                "replaced": sum(old is None for old, *_ in after),
                "changed": sum(old is None or old[1:] != (device, dtype) for old, device, dtype in after),
            }
            if first is not None:
                facts.update(device=str(first.device), dtype=str(first.dtype).removeprefix("torch."))
            tape.emit("move", modules.number(self), facts)
            return result

        setattr(nn.Module, name, move)

    for name in ("to", "cuda", "cpu", "half", "float", "double", "bfloat16", "to_empty"):
        wrap(name)


def _install_replace(tape: Tape, optimizers: Optimizers, modules: Modules) -> None:
    original = nn.Module.__setattr__
    compiling = torch.compiler.is_compiling

    @functools.wraps(original)
    def assign(self: nn.Module, name: str, value: Any) -> None:
        if compiling() or not isinstance(value, (nn.Module, nn.Parameter)) or tape.silent():
            return original(self, name, value)
        old = self.__dict__.get("_modules", {}).get(name)
        if old is None:
            old = self.__dict__.get("_parameters", {}).get(name)
        original(self, name, value)
        if old is not None and old is not value:
            lost = list(old.parameters()) if isinstance(old, nn.Module) else [old]
            modules.forget_parts()
            tape.emit("replace", modules.number(self), {"name": name, "holders": optimizers.holding(lost)})

    nn.Module.__setattr__ = assign  # type: ignore[method-assign]


def _install_clear(tape: Tape, optimizers: Optimizers, modules: Modules) -> None:
    original = nn.Module.zero_grad

    @functools.wraps(original)
    def clear(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        if tape.silent():
            return original(self, *args, **kwargs)
        parameters = list(self.parameters())
        held = measure.with_gradient(parameters)
        result = original(self, *args, **kwargs)
        holders = optimizers.holding(parameters)
        for number in holders:
            optimizers.left.pop(number, None)
        tape.emit("clear", modules.number(self), {"grads": held, "holders": holders, **measure.zeros_left(parameters, args, kwargs)})
        return result

    nn.Module.zero_grad = clear  # type: ignore[method-assign]


def _notice_saving_hooks(modules: Modules) -> None:
    original = torch.autograd.graph.saved_tensors_hooks.__init__

    @functools.wraps(original)
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        modules.hold_bytes = False
        original(self, *args, **kwargs)

    torch.autograd.graph.saved_tensors_hooks.__init__ = construct  # type: ignore[method-assign]
