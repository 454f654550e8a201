"""Runs a script that names no device on the GPU: the tensors that it and its modules make are made there.

`torch.set_default_device` would also place what torch makes for itself: permutations of samplers, whose generators are the processor's, and counts of steps.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors
from torch.utils.data import get_worker_info

# Modules of torch that make tensors in the script's name.
_ASKED = ("torch.nn.", "torch.distributions.")
_MAKING = frozenset(_device_constructors()) | {torch.normal}  # private: nothing public lists them


class Placed(TorchFunctionMode):
    """Makes tensors on a device where no other is named; what a generator of the processor draws is drawn there, and moved."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self.device = device

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") == "numpy":  # which is the processor's, so that the script would have asked for a copy there
            return func(args[0].cpu(), *args[1:], **kwargs)
        if func not in _MAKING or kwargs.get("device") is not None or not _asked(sys._getframe(1).f_globals.get("__name__", "")):
            return func(*args, **kwargs)
        if func is not torch.normal and kwargs.get("generator") is None:
            return func(*args, **{**kwargs, "device": self.device})
        made = func(*args, **kwargs)
        moved = made.detach().to(self.device)
        return moved.requires_grad_() if made.requires_grad else moved


def _asked(module: str) -> bool:
    """Whether a module makes tensors for the script. The workers of a loader are forks, in which CUDA cannot be used."""
    own = not module.startswith("torch.") or module.startswith(_ASKED)
    return own and get_worker_info() is None


def install(device: str = "cuda") -> None:
    """Places the tensors of this process from now on."""
    Placed(device).__enter__()  # type: ignore[no-untyped-call]  # torch's own gap
