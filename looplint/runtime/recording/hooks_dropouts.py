"""Hooks on functional dropouts that are not told whether they are in training: whether their module is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.nn import functional

from looplint.knowledge.layers import DROPS_ON_PURPOSE, FUNCTIONAL_DROPOUTS
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook

# How many frames there may be between a hooked call and the method of a module that makes it.
_NEAR = 8


def install(tape: Tape) -> None:
    for qualname in sorted(FUNCTIONAL_DROPOUTS):
        hook(tape, "dropouts", functional, qualname.rpartition(".")[2], _dropout(tape))


def _dropout(tape: Tape) -> Callable[..., Watching]:
    def watch(*args: Any, **kwargs: Any) -> Watching:
        if len(args) > 2 or "training" in kwargs:
            return  # as torch's own layers call it
        rate = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
        module = _caller()
        if module is None or not rate or not tape.sample(f"dropout {module.training}", id(type(module)), 6):
            return
        tape.write({"record": "dropout", "at": tape.place(), "events": tape.events, "in_eval": not module.training})
        del args, kwargs, module
        yield None

    return watch


def _caller() -> nn.Module | None:
    """The module whose method calls the dropout: the first object of the nearest method of one. None where it drops on purpose, by its name."""
    frame = sys._getframe(2)
    for _ in range(_NEAR):
        code = frame.f_code
        first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        if isinstance(first, nn.Module):
            names = f"{type(first).__name__} {code.co_name}".lower()
            return None if any(word in names for word in DROPS_ON_PURPOSE) else first
        if frame.f_back is None:
            break
        frame = frame.f_back
    return None
