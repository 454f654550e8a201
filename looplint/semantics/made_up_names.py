"""Attributes under names that a program makes up: `setattr(self, f"optim{i}", optimizer)`, and `getattr(self, f"optim{i}")`."""

from __future__ import annotations

from looplint.domain.objects import Obj
from looplint.domain.texts import Affixes, affixes_of
from looplint.domain.values import NOTHING, UNKNOWN, Ref, Value
from looplint.interpreter.interpreter import Interpreter

# Stands in a slot for the part of a name that is not known: no attribute's own name has it.
_ANY = "*"


def keep(interp: Interpreter, obj: Obj, name: Value, value: Value) -> None:
    """An object gets an attribute of whose name it is known at most how it begins and ends."""
    # What is no object may be another one each time: a number, or None in the place of what comes later.
    interp.write(obj, _slot(affixes_of(name) or Affixes("", "")), value if _is_of_objects(value) else UNKNOWN)


def kept(given: Value, name: Value) -> Value:
    """What objects keep under names of one form, where they were given it under names of that form and nothing else fits it; nothing where that is not known."""
    text = affixes_of(name)
    if text is None or not given:
        return NOTHING
    found = [_fitting(atom.obj, text) if isinstance(atom, Ref) else NOTHING for atom in given]
    return frozenset().union(*found) if all(map(_is_of_objects, found)) else NOTHING


def _is_of_objects(value: Value) -> bool:
    return bool(value) and all(isinstance(atom, Ref) for atom in value)


def _fitting(obj: Obj, text: Affixes) -> Value:
    others = (slot for slot in obj.heap if slot != _slot(text))
    return NOTHING if any(_may_be_one(slot, text) for slot in others) else obj.heap.get(_slot(text), NOTHING)


def _may_be_one(slot: str, text: Affixes) -> bool:
    """Whether a name of some form can be that of a slot, or one of those that the slot stands for."""
    begins, made_up, ends = slot.partition(_ANY)
    if not made_up:
        return text.fit(slot)
    return (begins.startswith(text.begins) or text.begins.startswith(begins)) and (ends.endswith(text.ends) or text.ends.endswith(ends))


def _slot(text: Affixes) -> str:
    return f"{text.begins}{_ANY}{text.ends}"
