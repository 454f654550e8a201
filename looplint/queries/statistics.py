"""Running statistics: those that a program estimates anew, in forwards that must find train mode, and those that are of one batch alone."""

from __future__ import annotations

from looplint.domain.objects import Container, Module, Obj
from looplint.domain.values import is_one, refs
from looplint.flow.events import Backward, Forward
from looplint.flow.remarks import ResetStatistics
from looplint.knowledge.layers import MOMENTA
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


def keeps_one_batch(module: Obj) -> bool:
    """Whether a norm of a module has the statistics of one batch alone, so that eval mode normalises all others by these: `momentum=1`."""
    seen: set[Obj] = set()
    work = [module]
    while work:
        obj = work.pop()
        if obj in seen:
            continue
        seen.add(obj)
        # What is met by going over the layers of a module has no class: `if isinstance(m, nn.BatchNorm2d): m.momentum = 1`.
        set_to = obj.heap.get("momentum") if obj.symbolic or obj.qualname.rpartition(".")[2] in MOMENTA else None
        if isinstance(obj, Module) and (obj.of_one_batch or is_one(set_to)):
            return True
        given = obj.arguments.values() if isinstance(obj, Module) and obj.arguments and obj.qualname.startswith("torch.nn.") else ()
        work.extend(part for value in (*obj.heap.values(), *given) for part in refs(value, Module, Container))
        work.extend((*obj.one_of, *([obj.original] if obj.original is not None else [])))
    return False
