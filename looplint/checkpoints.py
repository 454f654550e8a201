"""What is saved, kept and restored: state dicts, the files they go to, and copies of them."""

from __future__ import annotations

from collections.abc import Iterable

from looplint import ir
from looplint.machine import Machine
from looplint.values import NONE, UNKNOWN, Arguments, Obj, Ref, Tuple, Value, ref


def state_dict(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`obj.state_dict()`: a dict of its own that holds the object's own tensors."""
    state = m.create("state", expr.node, slot=obj.key)
    state.info["of"] = obj
    m.emit("snapshot", expr.node, {state})
    return ref(state)


def load_state(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("load", expr.node, {obj}, states=states_in(args.values()))
    return UNKNOWN


def save(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("save", expr.node, frozenset(), states=states_in(args.values()))
    return NONE


def load(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("load", expr.node, frozenset(), map_location="map_location" in args.keywords or len(args.positional) > 1)
    return UNKNOWN


def states_in(values: Iterable[Value]) -> frozenset[Obj]:
    """The state dicts that values are or hold."""
    found: set[Obj] = set()
    seen: set[Obj] = set()
    work = list(values)
    while work:
        for atom in work.pop():
            if isinstance(atom, Tuple):
                work.extend(atom.items)
            elif isinstance(atom, Ref) and atom.obj.kind == "state":
                found.add(atom.obj)
            elif isinstance(atom, Ref) and atom.obj.kind in ("dict", "list") and atom.obj not in seen:
                seen.add(atom.obj)
                work.extend(atom.obj.heap.values())
    return frozenset(found)


def deep_copy(value: Value) -> Value:
    """What a deep copy has of the states in a value: nothing; what holds one is not followed further."""
    return frozenset(a for a in value if not states_in([frozenset({a})])) or UNKNOWN
