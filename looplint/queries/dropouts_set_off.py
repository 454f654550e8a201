"""The dropouts that a program has set to a rate of 0 in all of a model: they do nothing in any mode."""

from __future__ import annotations

from looplint.domain.objects import Container, Module, Obj
from looplint.domain.values import refs
from looplint.knowledge.layers import RATED_DROPOUTS


def set_off_in(module: Obj) -> set[Obj]:
    """The parts of a module, or the module itself, in which a program sets the rate of all dropouts to 0.

    They are its dropouts and the models out of sight: who does so takes them for models whose modes do not differ then.
    """
    found: set[Obj] = set()
    seen: set[Obj] = set()
    work = [(module, any(_is_set_off(whole) for whole in module.lineage()))]
    while work:
        obj, off = work.pop()
        off = off or _is_set_off(obj)
        if obj in seen:
            continue
        seen.add(obj)
        if off and isinstance(obj, Module) and _has_no_other_modes(obj):
            found.add(obj)
        inner = [part for value in obj.heap.values() for part in refs(value, Module, Container)]
        work.extend((part, off) for part in (*inner, *obj.one_of))
    return found


def is_of_another_library(obj: Obj) -> bool:
    """Whether a module is built by a library other than torch: what the program puts into it is not all that it has."""
    return obj.cls is None and bool(obj.qualname) and not obj.qualname.startswith("torch.")


def _is_set_off(obj: Obj) -> bool:
    return any(isinstance(each, Module) and each.dropouts == "off" for each in (obj, obj.merged))


def _has_no_other_modes(obj: Module) -> bool:
    """Whether nothing that is known of a module differs between the modes but dropouts with a rate of their own."""
    library, _, leaf = obj.qualname.rpartition(".")
    if library.startswith("torch.nn"):
        return leaf in RATED_DROPOUTS
    return is_of_another_library(obj) or (obj.symbolic and obj.cls is None)
