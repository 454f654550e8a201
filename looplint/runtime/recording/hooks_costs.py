"""Hooks on what makes a run slow and changes no number: reads of tensors, texts of them, freed caches, copies of batches, batch statistics, warnings.

They sit on methods that programs call often, and are installed only where a rule on costs is verified.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.batchnorm import _NormBase

from looplint.runtime.recording.tape import Tape

# Methods that wait until the device has computed a tensor, and those that make a text of it.
READS = ("item", "tolist", "numpy", "cpu", "__float__", "__int__")
TEXTS = ("__format__", "__repr__")


def install(tape: Tape) -> None:
    """Hooks all of them; copies to an accelerator are looked at where there is one."""
    for name in READS:
        _install_method(tape, name, "read")
    for name in TEXTS:
        _install_method(tape, name, "text")
    _install_release(tape)
    _install_statistics(tape)
    _install_warnings(tape)
    if torch.cuda.is_available():
        install_copies(tape)


def _install_method(tape: Tape, name: str, kind: str) -> None:
    """Marks the calls that user code makes itself: torch reads its own tensors too."""
    original = getattr(torch.Tensor, name)

    @functools.wraps(original)
    def method(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        if not tape.silent() and tape.places.owns(sys._getframe(1)) and self.numel() == 1:
            tape.write({"record": kind, "what": name, "at": tape.place(2), "loops": tape.running_loops()})
            tape.local.busy += 1  # a text reads the number by another of these methods
            try:
                return original(self, *args, **kwargs)
            finally:
                tape.local.busy -= 1
        return original(self, *args, **kwargs)

    setattr(torch.Tensor, name, method)


def _install_release(tape: Tape) -> None:
    original = torch.cuda.empty_cache

    @functools.wraps(original)
    def empty_cache() -> None:
        if not tape.silent():
            tape.write({"record": "release", "at": tape.place(2), "loops": tape.running_loops()})
        original()

    torch.cuda.empty_cache = torch.cuda.memory.empty_cache = empty_cache


def _install_statistics(tape: Tape) -> None:
    """Marks each forward in which a layer takes a batch into its running statistics."""
    numbers: dict[int, int] = {}

    def before(module: torch.nn.Module, args: Any) -> None:
        if isinstance(module, _NormBase) and module.training and module.track_running_stats and not tape.silent():
            layer = numbers.setdefault(id(module), len(numbers) + 1)
            tape.write({"record": "statistics", "layer": layer, "batch": int(args[0].shape[0])})

    torch.nn.modules.module.register_module_forward_pre_hook(before)


def _install_warnings(tape: Tape) -> None:
    """Marks the warnings that are shown; what filters hold back is shown to nobody."""
    original: Callable[..., Any] = warnings.showwarning

    @functools.wraps(original)
    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: str | None = None
    ) -> None:
        if not tape.silent():
            tape.write({"record": "warning", "category": category.__name__, "message": str(message), "at": tape.place(2)})
        original(message, category, filename, lineno, file, line)

    warnings.showwarning = show


def install_copies(tape: Tape) -> None:
    """Marks the copies of tensors from the processor's memory to another device: from pinned memory or not, and whether the program waits."""
    for name in ("to", "cuda"):
        _install_copy(tape, name)


def _install_copy(tape: Tape, name: str) -> None:
    original = getattr(torch.Tensor, name)

    @functools.wraps(original)
    def copy(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        if not tape.silent() and tape.loops and self.device.type == "cpu" and result.device.type != "cpu":
            waits = not kwargs.get("non_blocking", False)
            tape.write({"record": "copy", "pinned": self.is_pinned(), "waits": waits, "at": tape.place(2), "loops": tape.running_loops()})
        return result

    setattr(torch.Tensor, name, copy)
