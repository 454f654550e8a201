"""Objects that were built under conditions which the conditions around rule out: in what runs where `args.model == "gcn"`, no other model is meant."""

from __future__ import annotations

from collections.abc import Mapping

from looplint.domain.objects import Obj
from looplint.domain.values import Ref, Value
from looplint.flow.graph import Guard
from looplint.interpreter import classes, handed_down, settled
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.implication import Implications


def running(interp: Interpreter, obj: Obj) -> list[Obj]:
    """Those that an object which is one of several may be, by the conditions around and by the methods that run on it: a class calls its own.

    All of them where the conditions rule out every one.
    """
    around = _said_by(interp, _conditions(interp))
    found = [each for each in obj.one_of if not _is_ruled_out(interp, each, around)] or [*obj.one_of]
    for frame in interp.frame.outward() if len(found) > 1 else ():
        if frame.owner is not None and frame.is_method_of(obj):
            found = [each for each in found if each.cls is not None and frame.owner in classes.mro(interp, each.cls)] or found
    return found


def possible_in(interp: Interpreter, value: Value) -> Value:
    """A value without the objects that cannot have been built, by the conditions around; as it is where these leave no object of it."""
    if len(value) < 2:
        return value
    built = [atom for atom in value if isinstance(atom, Ref)]
    around = _said_by(interp, _conditions(interp)) if len(built) > 1 else {}
    out = [atom for atom in built if _is_ruled_out(interp, atom.obj, around)] if around else []
    return value.difference(out) if 0 < len(out) < len(built) else value


def exclude_each_other(interp: Interpreter, one: Obj, other: Obj) -> bool:
    """Whether of two objects, or of any that they stand for, one alone is ever built: the conditions under which they are contradict each other."""
    others = [_said_by(interp, another.made_under) for another in other.one_of or (other,)]
    return all(_is_ruled_out(interp, each, said) for each in one.one_of or (one,) for said in others)


def _conditions(interp: Interpreter) -> tuple[Guard, ...]:
    """The conditions that hold here: those around, and those under which the objects were built whose methods run."""
    found = dict.fromkeys(interp.guards)
    for frame in interp.frame.outward():
        owners = [atom.obj for atom in frame.instance if isinstance(atom, Ref)]
        if len(owners) == 1:
            found.update(dict.fromkeys(owners[0].made_under))
    return tuple(found)


# So many sets of conditions are remembered: those of a branch are asked for by each statement in it, and then no more.
_REMEMBERED = 512


def _said_by(interp: Interpreter, conditions: tuple[Guard, ...]) -> dict[object, Implications]:
    """What follows from some conditions, by those in whose words they are said."""
    key = tuple(map(id, conditions))
    if key not in interp.said:
        if len(interp.said) >= _REMEMBERED:
            interp.said.clear()
        said: dict[object, list[tuple[ir.Expr, bool]]] = {}
        for each in conditions:
            said.setdefault(each.speaker, []).append((each.meaning, each.held))
        interp.said[key] = conditions, {speaker: Implications(meant) for speaker, meant in said.items()}
    return interp.said[key][1]


def _is_ruled_out(interp: Interpreter, obj: Obj, said: Mapping[object, Implications]) -> bool:
    """Whether a condition under which an object was built has the other outcome where others hold, at any time."""
    return any(_is_contradicted(guard, said) and _lasts(interp, guard) for guard in obj.made_under)


def _is_contradicted(guard: Guard, said: Mapping[object, Implications]) -> bool:
    found = said[guard.speaker].outcome(guard.meaning) if guard.speaker in said else None
    return found is not None and found != guard.held


def _lasts(interp: Interpreter, guard: Guard) -> bool:
    """Whether a condition has the same outcome now as when it was met."""
    if guard.owner is not None:
        return True
    frame = next((frame for frame in interp.frame.outward() if frame.ctx is guard.home), None)
    if frame is None:
        return False
    return settled.by_options(frame, guard.meaning, frozenset(ir.paths_in(guard.meaning))) or handed_down.is_told_once(frame, guard.meaning)
