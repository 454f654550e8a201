"""What others may put into lists and dicts that they are given: `broadcast_object_list(values)` fills the list, and an opaque callee may."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from looplint.domain.objects import Dict, List
from looplint.domain.values import NONE, NOTHING, UNKNOWN, Atom, Const, Number, Ref, Tensor, Tuple, Unknown, Value, join, refs
from looplint.interpreter.interpreter import Interpreter


def fill(interp: Interpreter, value: Value) -> None:
    """The entries of a list are replaced by what is not known. Tensors among them are written in place, and stay tensors."""
    for obj in refs(value, List) if not interp.aside else ():
        _open(interp, obj, lambda atom: not isinstance(atom, Tensor))


def may_fill(interp: Interpreter, values: Iterable[Value]) -> None:
    """What code out of sight is given may be filled there: an empty list, a list of constants, an entry of a dict that is None.

    What holds objects is read, as a rule: `evaluate([net, ema])`. So are the numbers and texts in a dict, which are options.
    """
    for atom in (a for value in values for a in value) if not interp.aside else ():
        match atom:
            case Tuple():
                may_fill(interp, atom.items)
            case Ref(obj=List() as obj):
                _open(interp, obj, _is_constant)
            case Ref(obj=Dict() as obj):
                for slot in [slot for slot, held in obj.heap.items() if not NONE.isdisjoint(held)]:
                    interp.write(obj, slot, UNKNOWN)


def _open(interp: Interpreter, obj: List, may_change: Callable[[Atom], bool]) -> None:
    """An entry of which all that it may hold may change may be anything now; an empty list may have entries."""

    def opened(held: Value) -> Value:
        return join(held, UNKNOWN) if all(map(may_change, held)) else held

    if obj.items:
        obj.items = tuple(map(opened, obj.items))
        obj.display = tuple(map(opened, obj.display)) if obj.display is not None else None
        obj.appended = {site: opened(held) for site, held in obj.appended.items()}
    else:
        obj.items = None
    entries = interp.constant(obj, "[]") or obj.heap.get("[]", NOTHING)
    if opened(entries) != entries:
        interp.write(obj, "[]", UNKNOWN)


def _is_constant(atom: Atom) -> bool:
    return isinstance(atom, Const | Number | Unknown)
