"""What the probes note: whether the values at a watched line carry an autograd graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from looplint.runtime import measure, probes
from looplint.runtime.tape import Tape


def install(tape: Tape, watched: Mapping[str, list[int]]) -> None:
    """Watches lines of files, named by their real paths."""
    if watched:
        probes.install(watched, _probe(tape))


def _probe(tape: Tape) -> Callable[..., None]:
    def probe(line: int, *roots: Any) -> None:
        if torch.compiler.is_compiling() or tape.silent():
            return
        place = tape.place(2)
        if not tape.sample("probe", place, 6):
            return
        tensors = [t for root in roots for t in measure.tensors_in(_value(root), 2)]
        facts = {"line": line, "values": len(roots), "tensors": len(tensors), "graph": sum(t.grad_fn is not None for t in tensors)}
        tape.write({"record": "probe", "at": place, "events": tape.events, **facts})

    return probe


def _value(root: Any) -> Any:
    """What a probe was given; an object and the name of an attribute stand for what the object itself holds under that name."""
    if isinstance(root, tuple) and len(root) == 2 and isinstance(root[1], str):
        return getattr(root[0], "__dict__", {}).get(root[1])
    return root
