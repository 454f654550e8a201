"""Hooks on checkpoints and on loss functions whose input tells whether it is what they expect."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.optim.lr_scheduler import LRScheduler

from looplint.runtime.recording import measure
from looplint.runtime.recording.hooks_modules import Modules
from looplint.runtime.recording.hooks_schedule import subclasses
from looplint.runtime.recording.tape import Tape


def install(tape: Tape, modules: Modules) -> None:
    _install_files(tape)
    _install_state_dicts(tape, modules)
    _install_losses(tape)


def _outermost(tape: Tape, slot: str, original: Callable[..., Any], emit: Callable[..., None]) -> Callable[..., Any]:
    """Runs the original, and emits when user code called it (a module's state_dict calls those of its parts)."""
    local = tape.local

    @functools.wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        if slot in local.inside or tape.silent():
            return original(*args, **kwargs)
        local.inside.add(slot)
        try:
            result = original(*args, **kwargs)
        finally:
            local.inside.discard(slot)
        emit(result, *args, **kwargs)
        return result

    return run


def _install_files(tape: Tape) -> None:
    def saved(result: Any, thing: Any, target: Any = None, *args: Any, **kwargs: Any) -> None:
        tape.emit("save", 0, {"function": "torch.save", "keys": _keys(thing)}, 3)

    def loaded(result: Any, source: Any = None, map_location: Any = None, *args: Any, **kwargs: Any) -> None:
        tape.emit("load", 0, {"function": "torch.load", "keys": _keys(result), "map_location": map_location is not None}, 3)

    torch.save = _outermost(tape, "file", torch.save, saved)
    torch.load = _outermost(tape, "file", torch.load, loaded)
    torch.serialization.save, torch.serialization.load = torch.save, torch.load


def _keys(thing: Any) -> list[str]:
    return [str(key) for key in list(thing)[:12]] if isinstance(thing, dict) else []


def _install_state_dicts(tape: Tape, modules: Modules) -> None:
    def module_saved(result: Any, module: nn.Module, *args: Any, **kwargs: Any) -> None:
        tape.emit("save", modules.number(module), {"function": "state_dict"}, 3)

    def module_loaded(result: Any, module: nn.Module, state: Any = None, *args: Any, **kwargs: Any) -> None:
        # A state that shares its storage with the module restores nothing.
        own = {t.data_ptr() for t in [*module.parameters(), *module.buffers()] if t.numel()}
        given = [t for t in state.values() if isinstance(t, torch.Tensor) and t.numel()] if isinstance(state, dict) else []
        facts = {"function": "load_state_dict", "tensors": len(given), "shared": sum(t.data_ptr() in own for t in given)}
        tape.emit("load", modules.number(module), facts, 3)

    def optimizer_saved(result: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        tape.emit("save", tape.number(optimizer), {"function": "state_dict"}, 3)

    def optimizer_loaded(result: Any, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        tape.emit("load", tape.number(optimizer), {"function": "load_state_dict"}, 3)

    def other_loaded(result: Any, thing: Any, *args: Any, **kwargs: Any) -> None:
        tape.emit("load", tape.number(thing), {"function": "load_state_dict"}, 3)

    kinds = [LRScheduler, *subclasses(LRScheduler)]
    restoring = [(kind, "load_state_dict", other_loaded) for kind in (*kinds, torch.amp.GradScaler) if "load_state_dict" in vars(kind)]
    for owner, name, emit in (
        *restoring,
        (nn.Module, "state_dict", module_saved),
        (nn.Module, "load_state_dict", module_loaded),
        (torch.optim.Optimizer, "state_dict", optimizer_saved),
        (torch.optim.Optimizer, "load_state_dict", optimizer_loaded),
    ):
        setattr(owner, name, _outermost(tape, "state", getattr(owner, name), emit))


def _install_losses(tape: Tape) -> None:
    for name in ("cross_entropy", "binary_cross_entropy", "binary_cross_entropy_with_logits"):
        setattr(functional, name, _loss(tape, name, getattr(functional, name)))


def _caller() -> int:
    """What tells the places that call a loss apart, cheaply: the frames around it, as one number."""
    frame, place = sys._getframe(2), 0
    for _ in range(5):
        place = hash((place, id(frame.f_code), frame.f_lasti))
        if frame.f_back is None:
            break
        frame = frame.f_back
    return place


def _loss(tape: Tape, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Samples whether what a loss takes for logits already are probabilities, and in a validation pass what it compares them with."""

    @functools.wraps(original)
    def loss(input: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling() or tape.silent() or not isinstance(input, torch.Tensor) or not tape.sample("input", _caller(), 4):
            return original(input, *args, **kwargs)
        tape.local.busy += 1
        enabled = torch.is_grad_enabled()
        with torch.no_grad():
            values = input.detach()
            facts: dict[str, Any] = {"in_unit": bool(((values >= 0) & (values <= 1)).all())}
            if name == "cross_entropy" and values.dim() >= 2:
                sums = values.float().sum(1)
                facts["sums_to_one"] = bool(((sums - 1).abs() < 1e-3).all())
                facts["log_probabilities"] = bool(((values.float().logsumexp(1)).abs() < 1e-3).all())
            if not enabled and args and isinstance(args[0], torch.Tensor) and args[0].numel() <= measure.MOST_COPIED:
                facts["target"] = measure.digest(args[0])
                facts["loops"] = tape.running_loops()
        tape.local.busy -= 1
        tape.write({"record": "loss", "function": name, "at": tape.place(2), "events": tape.events, **facts})
        return original(input, *args, **kwargs)

    return loss
