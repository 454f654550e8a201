"""Data classes: `asdict(config)` gives the fields of an object as a dict, and `replace(config, rate=0.1)` another object of its class."""

from __future__ import annotations

from looplint.domain.objects import Dict, Instance
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Ref, Value, ref
from looplint.interpreter import calls, objects, settled, unfollowed
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir

# How deep the fields of fields are followed.
_DEPTH = 3


@transfer("fields-of")
def _as_dict(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = _built(interp, args.get(0, "obj"))
    return unfollowed.quiet(interp, args) if obj is None else _in_dict(interp, obj, expr, _DEPTH)


@transfer("replaced-fields")
def _replace(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = _built(interp, args.get(0, "obj"))
    if obj is None or obj.cls is None:
        return unfollowed.quiet(interp, args)
    changes = {name: value for name, value in args.keywords.items() if name != "obj"}
    return calls.instantiate(interp, obj.cls, args.handed_on([], {**_fields(interp, obj), **changes}), expr)


def _built(interp: Interpreter, value: Value | None) -> Instance | None:
    """The object that a value is, where the program builds it in sight, and sets no attributes by names that it computes."""
    match list(value or NOTHING):
        case [Ref(obj=Instance(symbolic=False) as obj)] if obj.cls is not None:
            modules = {id(m): m for m in (interp.main, interp.frame.module, obj.cls.module, obj.source) if m is not None}
            return obj if all(settled.rebound_in(module) is not None for module in modules.values()) else None
    return None


def _fields(interp: Interpreter, obj: Instance) -> dict[str, Value]:
    return {name: objects.attribute(interp, obj, name) for name in obj.heap}


def _in_dict(interp: Interpreter, obj: Instance, expr: ir.Call, depth: int) -> Value:
    """The fields of an object in a new dict, those that are such objects as dicts themselves."""
    if not depth:
        return UNKNOWN
    made = interp.create(Dict, expr.node, slot=obj.key)
    for name, value in _fields(interp, obj).items():
        inner = _built(interp, value)
        held = value if inner is None else _in_dict(interp, inner, expr, depth - 1)
        interp.write(made, f"={name}", held)
        interp.write(made, "[]", held)
    made.exact = True
    return ref(made)
