"""Hooks on functional dropouts that are not told whether they are in training: whether their module is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.nn import functional

from looplint.knowledge.layers import DROPS_ON_PURPOSE, FUNCTIONAL_ATTENTION, FUNCTIONAL_DROPOUTS
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook

# How many frames there may be between a hooked call and the method of a module that makes it.
_NEAR = 8


def install(tape: Tape) -> None:
    for qualname in sorted(FUNCTIONAL_DROPOUTS):
        hook(tape, "dropouts", functional, qualname.rpartition(".")[2], _drops(tape, 1, "p", 0.5, most=2))
    for qualname, (position, argument) in FUNCTIONAL_ATTENTION.items():
        hook(tape, "dropouts", functional, qualname.rpartition(".")[2], _drops(tape, position, argument, 0.0))


def _drops(tape: Tape, position: int, argument: str, usual: float, most: int | None = None) -> Callable[..., Watching]:
    """Watches a function that drops at a rate, which stands at a position or by name, and is `usual` where it is not given.

    Args:
        most: how many positional arguments there are where the function is not told whether it is in training; None where it cannot be told.
    """

    def watch(*args: Any, **kwargs: Any) -> Watching:
        if most is not None and (len(args) > most or "training" in kwargs):
            return  # as torch's own layers call it
        rate = args[position] if len(args) > position else kwargs.get(argument, usual)
        if not rate:
            return
        module = _caller()
        if module is None or not tape.sample(f"dropout {module.training}", id(type(module)), 6):
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
