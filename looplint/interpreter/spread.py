"""What comes through `*` and `**` into a call, at places and under names that are not known: `score(**model(x))`."""

from __future__ import annotations

from looplint.domain.objects import Dict
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Tensor, Unknown, Value, refs
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter


def note(args: Arguments, value: Value) -> None:
    """Note what may come to any parameter: tensors, and what depends on modules, alone or in dicts."""
    args.starred = True
    inside = (obj.heap.get("[]", NOTHING) for obj in refs(value, Dict))
    args.spread |= {a for each in (value, *inside) for a in each if isinstance(a, Tensor) or (isinstance(a, Unknown) and a.deps)}


def given(interp: Interpreter, args: Arguments, *, optional: bool) -> Value:
    """What a parameter has got, where nothing else came for it; one with a default need not have got any."""
    if optional:
        depends = (a.sources if isinstance(a, Tensor) else a.deps for a in args.spread if isinstance(a, Tensor | Unknown))
        return frozenset({Unknown(frozenset().union(*depends))})
    return hooks.unpacked.run(interp, args.spread, None) if args.spread else UNKNOWN
