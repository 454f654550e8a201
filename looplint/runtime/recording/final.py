"""Fingerprints of what optimizers and trained models hold at the end, or when the script releases them. Nothing is kept alive for this."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from looplint.runtime.recording import measure
from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import shielded

KEPT = 4  # optimizers, and trained models, whose final values the end of the stream holds: the last ones
MOST = 4 * measure.MOST_DIGESTED  # elements of all that the script lets go


@dataclass(slots=True)
class _Entry:
    """An optimizer or a model. Its class distinguishes it from a later object with the same identity."""

    number: int
    ref: weakref.ref[Any]
    kind: type
    start: list[str]
    end: dict[str, str] | None = None  # fingerprints by name


class FinalValues:
    """The fingerprints taken so far, and by identity the objects still to be read."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._living: dict[int, _Entry] = {}
        self._optimizers: list[_Entry] = []
        self._models: list[_Entry] = []
        self._read = 0

    def add_optimizer(self, optimizer: Any, number: int, parameters: list[torch.Tensor]) -> None:
        self._optimizers.append(self._add(optimizer, number, measure.digests(parameters)))

    def add_model(self, module: nn.Module, number: int) -> None:
        """Adds a model that was trained, unless it is known."""
        known = self._living.get(id(module))
        if known is None or known.number != number:
            self._models.append(self._add(module, number, []))

    def _add(self, thing: Any, number: int, start: list[str]) -> _Entry:
        entry = self._living[id(thing)] = _Entry(number, weakref.ref(thing), type(thing), start)
        return entry

    def ended(self, thing: Any) -> None:
        """Reads what ends now."""
        entry = self._living.pop(id(thing), None)
        if entry is not None and entry.kind is type(thing) and self._read < MOST:
            self._take(entry, thing)

    def _take(self, entry: _Entry, thing: Any) -> None:
        if self.tape.threads.several:  # others may still train it
            return
        with self.tape.reading("final values"):
            if isinstance(thing, nn.Module):
                tensors = {**dict(thing.named_parameters()), **dict(thing.named_buffers())}
            else:
                tensors = {str(i): p for i, p in enumerate(measure.parameters_of(thing))} if entry.start else {}
            self._read += sum(t.numel() for t in measure.locals_of(tensors.values()))
            entry.end = dict(zip(tensors, measure.digests(list(tensors.values())), strict=False))

    def optimizers(self) -> list[dict[str, Any]]:
        """For each of the last optimizers, fingerprints of its parameters when it was built and in the end."""
        return [{"object": e.number, "start": e.start, "end": list((e.end or {}).values())} for e in self._taken(self._optimizers)]

    def models(self) -> list[dict[str, Any]]:
        """For each of the last trained models, fingerprints of its parameters and buffers in the end."""
        return [{"object": e.number, "tensors": e.end} for e in self._taken(self._models)]

    def _taken(self, entries: list[_Entry]) -> list[_Entry]:
        last = entries[-KEPT:]
        for entry in last:
            if entry.end is None and (living := entry.ref()) is not None:
                self._take(entry, living)
        return [entry for entry in last if entry.end is not None]


_KINDS: tuple[type, ...] = (torch.optim.Optimizer, nn.Module)


def install(tape: Tape, final: FinalValues) -> None:
    """Adds finalizers to optimizers and modules. The end of an object whose class has its own `__del__` is not noticed."""

    ends = shielded(tape, "final values", final.ended)

    def delete(self: Any) -> None:
        ends(self)

    for kind in _KINDS:
        setattr(kind, "__del__", delete)  # noqa: B010 (neither class has one)


def uninstall() -> None:
    """What ends from now on ends with the process: by then the modules that a hook calls are gone, and it would fail on standard error."""
    for kind in _KINDS:
        if "__del__" in vars(kind):
            del kind.__del__  # type: ignore[attr-defined]  # set above
