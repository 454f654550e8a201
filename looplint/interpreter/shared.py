"""Names that hold the same as an attribute, and parameters that hold the same as a name of the caller: whichever of several objects one is, the others are it too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.domain.objects import Instance, Module, Obj
from looplint.domain.values import NOTHING, Named, Value, refs
from looplint.interpreter.frames import Frame
from looplint.syntax import ir

if TYPE_CHECKING:
    from looplint.interpreter.state import Position


def names_of(attribute: str) -> str:
    """Where a path keeps which names hold the same as an attribute."""
    return f"{attribute} is"


def note_given(at: Position, obj: Obj, attribute: str, value: Value, expr: ir.Expr) -> None:
    """An attribute is given what a name holds: `self.model = best`."""
    if isinstance(expr, ir.Name) and expr.id in at.frame.locals and _is_one_of_several(value):
        _note(at, obj, attribute, at.frame, expr.id)


def note_taken(at: Position, frame: Frame, name: str, value: Value, expr: ir.Expr) -> None:
    """A name of an activation is given what an attribute holds: `model = self.model`, or `evaluate(self.model)` as the parameter of that."""
    match expr:
        case ir.Attr(value=ir.Name(id=holder), attr=attribute) if _is_one_of_several(value):
            obj = _held_by(at.frame, holder)
            if obj is not None and attribute in obj.heap:
                _note(at, obj, attribute, frame, name)


def _is_one_of_several(value: Value) -> bool:
    return len(value) > 1 and len(refs(value, Module)) > 1


def _held_by(frame: Frame, name: str) -> Instance | None:
    """The object that a name stands for, where it is a single one of a class of the program."""
    value = frame.locals.get(name, NOTHING)
    found = refs(value, Instance)
    return found[0] if len(found) == len(value) == 1 and not found[0].many else None


def _note(at: Position, obj: Obj, attribute: str, frame: Frame, name: str) -> None:
    known = at.constant(obj, names_of(attribute)) or NOTHING
    at.set_constant(obj, names_of(attribute), known | {Named(frame.ctx, name)})
    frame.shared.add(name)


def forget(at: Position, frame: Frame, name: str = "") -> None:
    """A name of an activation is given something else, or all of them have ended: no attribute is known to hold the same."""
    kept = {}
    for place, value in at.constants.items():
        gone = [a for a in value if isinstance(a, Named) and a.frame is frame.ctx and name in ("", a.name)]
        if gone:
            at.journal.note_on_path(*place)
        if len(gone) < len(value) or not gone:
            kept[place] = value.difference(gone) if gone else value
    at.constants = kept


def home_of(at: Position, path: str) -> tuple[Frame, str]:
    """The activation and the name that say for all that hold the same which of several objects it is."""
    frame, name = at.frame, path
    holder, _, attribute = path.rpartition(".")
    if holder:
        obj = _held_by(frame, holder)
        found = at.constant(obj, names_of(attribute)) if obj is not None else None
    else:
        frame, name = _at_home(frame, name)
        named = Named(frame.ctx, name)
        found = frozenset().union(*(value for value in at.constants.values() if named in value))
    return min(_living(at, found or NOTHING), key=lambda each: (each[0].depth, each[1]), default=(frame, name))


def _living(at: Position, names: Value) -> list[tuple[Frame, str]]:
    return [_at_home(frame, a.name) for frame in at.frame.outward() for a in names if isinstance(a, Named) and a.frame is frame.ctx]


def _at_home(frame: Frame, name: str) -> tuple[Frame, str]:
    """The outermost name that a parameter stands for as long as its function runs."""
    while frame.caller is not None and isinstance(given := frame.handed.get(name), ir.Name) and given.id in frame.caller.locals:
        frame, name = frame.caller, given.id
    return frame, name
