"""Hooks on what makes a run slow and changes no number: reads of tensors, texts of them, freed caches, copies of batches, batch statistics, warnings.

They wrap methods that programs call often, and are installed only where a rule on costs needs them.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import torch
from torch.nn.modules.batchnorm import _NormBase

from looplint.runtime.recording.hooks_optim import Optimizers
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook, shielded, watched

# Methods that wait until the device has computed a tensor, and those that format it.
READS = ("item", "tolist", "numpy", "cpu", "__float__", "__int__")
TEXTS = ("__format__", "__repr__")


def install(tape: Tape, optimizers: Optimizers) -> None:
    """Installs all of them; those on copies only where torch was built for an accelerator."""
    for name in READS:
        _install_method(tape, name, "read")
    for name in TEXTS:
        _install_method(tape, name, "text")
    _install_release(tape)
    _install_statistics(tape, optimizers)
    _install_warnings(tape)
    # Whether there is one is the script's to ask: the question starts CUDA's driver.
    if torch.backends.cuda.is_built():  # type: ignore[no-untyped-call]  # torch's own gap
        install_copies(tape)


def _install_method(tape: Tape, name: str, kind: str) -> None:
    """Marks the calls that user code makes itself: torch reads its own tensors too."""

    def watch(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Watching:
        # The frames below are the watcher's, the hook's and the caller's.
        if tape.places.owns(sys._getframe(2)) and tensor.numel() == 1:
            tape.write({"record": kind, "what": name, "at": tape.place(), "loops": tape.running_loops()})
            yield None

    # Formatting reads the number by another of these methods.
    hook(tape, "costs", torch.Tensor, name, watch, "read")


def _install_release(tape: Tape) -> None:
    def watch() -> Watching:
        tape.write({"record": "release", "at": tape.place(), "loops": tape.running_loops()})
        yield None

    torch.cuda.empty_cache = torch.cuda.memory.empty_cache = watched(tape, "costs", torch.cuda.empty_cache, watch)


def _install_statistics(tape: Tape, optimizers: Optimizers) -> None:
    """Marks each forward in which a layer takes a batch into its running statistics, and now and then the optimizers that hold its parameters."""
    numbers: dict[int, int] = {}

    def before(module: torch.nn.Module, args: Any) -> None:
        if isinstance(module, _NormBase) and module.training and module.track_running_stats:
            layer = numbers.setdefault(id(module), len(numbers) + 1)
            facts = {"holders": optimizers.holding(module.parameters(False))} if tape.sample("statistics", layer, 2) else {}
            tape.write({"record": "statistics", "layer": layer, "batch": int(args[0].shape[0]), **facts})

    torch.nn.modules.module.register_module_forward_pre_hook(shielded(tape, "costs", before))


def _install_warnings(tape: Tape) -> None:
    """Marks the warnings that are shown; what filters suppress is not shown."""

    def watch(message: Warning | str, category: type[Warning], *args: Any, **kwargs: Any) -> Watching:
        tape.write({"record": "warning", "category": category.__name__, "message": str(message), "at": tape.place()})
        yield None

    hook(tape, "costs", warnings, "showwarning", watch)


def install_copies(tape: Tape) -> None:
    """Marks the copies of tensors from the processor's memory to another device: from pinned memory or not, and whether the program waits."""
    for name in ("to", "cuda"):
        _install_copy(tape, name)


def _install_copy(tape: Tape, name: str) -> None:
    def watch(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Watching:
        outcome = yield None
        result = outcome.result
        if outcome.error is None and tape.loops and tensor.device.type == "cpu" and result.device.type != "cpu":
            waits = not kwargs.get("non_blocking", False)
            tape.write({"record": "copy", "pinned": tensor.is_pinned(), "waits": waits, "at": tape.place(), "loops": tape.running_loops()})

    # Under a mode of torch's functions, such as a default device, the method comes back to the hook.
    hook(tape, "costs", torch.Tensor, name, watch, "copy")
