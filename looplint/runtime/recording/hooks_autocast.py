"""Hooks on autocast: the type that the script requests, also on a machine without the device on which it would take effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook

# On the region itself: the requested type, which has no effect where the device is missing.
_ASKED = "_looplint_asked"


def install(tape: Tape) -> None:
    kind = torch.autocast
    for name, watcher in (("__init__", _construct()), ("__enter__", _enter(tape)), ("__exit__", _exit(tape))):
        hook(tape, "autocasts", kind, name, watcher)


def _construct() -> Callable[..., Watching]:
    def watch(region: Any, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: Any = None) -> Watching:
        if (yield None).error is None:
            requested = dtype or region.fast_dtype
            vars(region)[_ASKED] = str(requested).removeprefix("torch.") if enabled else ""

    return watch


def _enter(tape: Tape) -> Callable[..., Watching]:
    def watch(region: Any) -> Watching:
        if (yield None).error is None:
            requested = vars(region).get(_ASKED, "")
            tape.local.autocasts.append(requested)
            tape.local.autocast = tape.local.autocast or requested

    return watch


def _exit(tape: Tape) -> Callable[..., Watching]:
    def watch(*args: Any) -> Watching:
        yield None
        if tape.local.autocasts:
            tape.local.autocasts.pop()

    return watch


def begin(tape: Tape) -> None:
    """A forward begins: it runs in the region around it, and in those that it enters itself."""
    regions = tape.local.autocasts
    tape.local.autocast = regions[-1] if regions else ""


def facts(tape: Tape) -> dict[str, str]:
    """The autocast type of the forward that ends now."""
    return {"autocast": tape.local.autocast} if tape.local.autocast else {}
