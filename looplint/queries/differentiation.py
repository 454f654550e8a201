"""Which models differentiate something in their own forward: they need gradients in a validation, too."""

from __future__ import annotations

from looplint.domain.objects import Container, Module, Obj
from looplint.domain.values import Ref


def differentiates_within(module: Obj) -> bool:
    """Whether the forward of a module, or of any of its parts, differentiates something: forces of an energy, an optimization in a layer."""
    seen: set[Obj] = set()
    work = [module]
    while work:
        obj = work.pop()
        if obj in seen:
            continue
        seen.add(obj)
        if isinstance(obj, Module) and obj.differentiates:
            return True
        held = (a.obj for value in obj.heap.values() for a in value if isinstance(a, Ref))
        work.extend(o for o in (*held, *obj.one_of) if isinstance(o, Module | Container))
    return False
