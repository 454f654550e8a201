"""What the probes note: whether the values at a watched line carry an autograd graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from looplint.runtime import measure, probes
from looplint.runtime.probes import Sources
from looplint.runtime.tape import Tape


def install(tape: Tape, sources: Sources) -> None:
    """Has the watched lines looked at."""
    if sources.watched or sources.replaced:
        probes.install(sources, _look(tape))


def _look(tape: Tape) -> Callable[[Any], None]:
    def look(value: Any) -> None:
        if torch.compiler.is_compiling() or tape.silent():
            return
        place = tape.place(3)
        if not tape.sample("probe", place, 6):
            return
        tensors = list(measure.tensors_in(value))
        if tensors:
            tape.write({"record": "probe", "at": place, "events": tape.events, "tensors": len(tensors), "graph": sum(t.grad_fn is not None for t in tensors)})
        elif isinstance(value, (int, float)):
            tape.write({"record": "probe", "at": place, "events": tape.events, "tensors": 0, "graph": 0})

    return look
