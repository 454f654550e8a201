"""What comes through `*` and `**` into a call, at places and under names that are not known: `score(**model(x))`."""

from __future__ import annotations

from looplint.domain.objects import Dict
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Tensor, Unknown, Value, refs
from looplint.interpreter import hooks
from looplint.interpreter.frames import Frame
from looplint.interpreter.handed_down import changed_in
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# The methods of a dict that put something in.
_ADDING = frozenset({"update", "setdefault"})


def note(args: Arguments, value: Value) -> None:
    """Note what may come to any parameter: tensors, and what depends on modules, alone or in dicts."""
    args.starred = True
    inside = (obj.heap.get("[]", NOTHING) for obj in refs(value, Dict))
    args.spread |= {a for each in (value, *inside) for a in each if isinstance(a, Tensor) or (isinstance(a, Unknown) and a.deps)}


def is_of_callers(frame: Frame, call: ir.Call, given: ir.Expr, value: Value) -> bool:
    """Whether a function hands on by `**kwargs` what it got so itself, from callers out of sight, and adds nothing to it but arguments with names."""
    function = frame.function
    if not isinstance(given, ir.Name) or sum(bool(arg.star) for arg in call.args) != 1 or given.id in changed_in(function):
        return False
    used = function.usage.get(given.id)
    if used is not None and not used.methods.isdisjoint(_ADDING):
        return False
    dicts = refs(value, Dict)
    if value == UNKNOWN:
        return any(param.kind == "**" and param.name == given.id for param in function.params)
    return len(value) == len(dicts) == 1 and dicts[0].of_callers and not dicts[0].changed


def given(interp: Interpreter, args: Arguments, *, optional: bool) -> Value:
    """What a parameter has got, where nothing else came for it; one with a default need not have got any."""
    if optional:
        depends = (a.sources if isinstance(a, Tensor) else a.deps for a in args.spread if isinstance(a, Tensor | Unknown))
        return frozenset({Unknown(frozenset().union(*depends))})
    return hooks.unpacked.run(interp, args.spread, None) if args.spread else UNKNOWN
