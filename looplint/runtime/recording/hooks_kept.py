"""What the probes note at watched lines: values that carry an autograd graph, conversions, and forwards called directly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from looplint.runtime.recording import hooks_autocast, measure, probes
from looplint.runtime.recording.hooks_modules import Modules, emit_forward
from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.probes import Sources
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import shielded


def install(tape: Tape, sources: Sources, optimizers: Optimizers, modules: Modules) -> None:
    """Installs the probes at the watched lines."""
    if sources.watched or sources.replaced:
        called = shielded(tape, "probes", _called(tape, optimizers, modules))
        probes.install(sources, shielded(tape, "probes", _look(tape)), called)


def _look(tape: Tape) -> Callable[[Any], None]:
    def look(value: Any) -> None:
        place = tape.place()
        if not tape.sample("probe", place, 6):
            return
        tensors = list(measure.tensors_in(value))
        if tensors:
            tape.write(
                {
                    "record": "probe",
                    "at": place,
                    "events": tape.events,
                    "tensors": len(tensors),
                    "graph": sum(t.grad_fn is not None for t in tensors),
                }
            )
        elif isinstance(value, (int, float)):
            tape.write({"record": "probe", "at": place, "events": tape.events, "tensors": 0, "graph": 0})

    return look


def _called(tape: Tape, optimizers: Optimizers, modules: Modules) -> Callable[[Any, str, Any], None]:
    def called(target: Any, name: str, result: Any) -> None:
        place = tape.place()
        if isinstance(target, torch.nn.Module) and name == "forward":
            _direct(tape, optimizers, modules, target, result, place)
        if not tape.sample("method", place, 6):
            return
        if isinstance(target, torch.nn.Module) and name == "forward":
            hooks = len(target._forward_hooks) + len(target._forward_pre_hooks)
            tape.write({"record": "direct", "at": place, "events": tape.events, "class": type(target).__name__, "hooks": hooks})
        elif isinstance(target, torch.Tensor) and isinstance(result, torch.Tensor):
            forms = [f"{str(t.dtype).removeprefix('torch.')} on {t.device}" for t in (target, result)]
            tape.write(
                {
                    "record": "cast",
                    "at": place,
                    "events": tape.events,
                    "method": name,
                    "changes": result is not target and forms[0] != forms[1],
                    "forms": forms,
                }
            )

    return called


def _direct(tape: Tape, optimizers: Optimizers, modules: Modules, module: torch.nn.Module, result: Any, place: int) -> None:
    """A forward that went past the module's call is an event too, unless it is a part of another."""
    if tape.local.inside.isdisjoint(("forward", "backward")) and modules.learns(module):
        hooks_autocast.begin(tape)
        emit_forward(tape, optimizers, modules, module, result, place, {"direct": True})
