"""What an object holds whose methods others may have called before: what these change is not what its constructor says."""

from __future__ import annotations

from looplint.domain.objects import List, Obj
from looplint.domain.values import NOTHING, ClassRef, Number, Value, const, constant_of, refs
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def open_up(interp: Interpreter, obj: Obj) -> None:
    """Nothing is known any more of what the methods of an object change, besides that it may still be as it was made."""
    _open_empty_lists(obj)
    _open_what_changes(interp, obj)


def _open_empty_lists(obj: Obj) -> None:
    """What an object keeps in a list that is empty when it is made is not known: others fill it."""
    for kept in (each for value in obj.heap.values() for each in refs(value, List)):
        if kept.items == ():
            kept.items = None


def _open_what_changes(interp: Interpreter, obj: Obj) -> None:
    """What an object counts from a number, or says by a flag, is not known where its methods change it: a buffer may hold something by now.

    It may be the second task, or epoch, and not the first call: `self.ready = True`.
    """
    for slot, value in [*obj.heap.items()] if obj.cls is not None else ():
        also = _also_held(interp, obj.cls, slot, value) if obj.cls is not None else NOTHING
        if also:
            obj.heap[slot] = value | also
            interp.drop_constant(obj, slot)


def _also_held(interp: Interpreter, cls: ClassRef, slot: str, value: Value) -> Value:
    known = constant_of(value)
    if known is None or known.type not in (int, bool):
        return NOTHING
    again = classes.set_again(interp, cls, slot)
    if known.type is int:
        return frozenset({Number()}) if any(map(_is_computed, again)) else NOTHING
    return const(not known.value) if any(_is_set_to(stmt, not known.value) for stmt in again) else NOTHING


def _is_computed(stmt: ir.Assign | ir.AugAssign) -> bool:
    return isinstance(stmt, ir.AugAssign) or not isinstance(stmt.value, ir.Const)


def _is_set_to(stmt: ir.Assign | ir.AugAssign, flag: bool) -> bool:
    return isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Const) and stmt.value.value is flag
