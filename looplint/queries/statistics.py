"""Running statistics that a program estimates anew: the forwards that do so must find train mode."""

from __future__ import annotations

from looplint.domain.objects import Obj
from looplint.flow.events import Backward, Forward
from looplint.flow.remarks import ResetStatistics
from looplint.queries.program import Program


def estimates_statistics(program: Program, module: Obj, event: Forward) -> bool:
    """Whether the running statistics of a module, or of parts of it, are begun anew before a forward, and nothing is trained in between."""
    whole = set(module.lineage())
    begun = [
        e.index
        for e in program.of(ResetStatistics)
        if e.root == event.root and e.index <= event.index and any(o in whole or module in o.lineage() for o in e.subjects)
    ]
    return bool(begun) and not any(max(begun) <= e.index < event.index for e in program.of(Backward))
