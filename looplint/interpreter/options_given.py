"""Objects of the project that hold what the command line gives: each option is set on them by its name, which is not known."""

from __future__ import annotations

from looplint.domain.objects import Dict, Instance, Obj, Options
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    ClassRef,
    Const,
    Method,
    Number,
    Ref,
    Unknown,
    Value,
    constant_of,
    join,
    refs,
)
from looplint.interpreter import classes
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def set_by_options(interp: Interpreter, obj: Obj) -> None:
    """An object gets a value under a name that is not known: what is None until then stands for it.

    Where options are at hand, a dropout that is off by its constructor is off by default.
    """
    if isinstance(obj, Instance):
        at_hand = _has_options(interp.frame)
        for slot, value in list(obj.heap.items()):
            known = constant_of(value)
            if known is not None and known.value is None:
                interp.write(obj, slot, join(value, UNKNOWN))
            elif at_hand and "drop" in slot and known is not None and isinstance(known.value, int | float) and not known.value:
                interp.write(obj, slot, frozenset({Number()}))


def set_entry(interp: Interpreter, obj: Obj, key: Const | None, value: Value) -> None:
    """An entry of an object is set, which is an attribute too where its class says so."""
    if isinstance(obj, Instance) and obj.cls is not None and has_entries_as_attributes(interp, obj.cls):
        if key is None:
            set_by_options(interp, obj)
        elif isinstance(key.value, str):
            interp.write(obj, key.value, value)


def _has_options(frame: Frame) -> bool:
    """Whether a function has the options of the command line by one of its names, or a dict of them."""
    top = frame.module.frame
    around = {} if top is None else {name: top.locals[name] for name in frame.function.usage if name in top.locals}
    return any(map(_is_of_options, (*frame.locals.values(), *around.values())))


def _is_of_options(value: Value) -> bool:
    return any(
        (isinstance(a, Ref) and isinstance(a.obj, Options))
        or (isinstance(a, Method) and isinstance(a.obj, Unknown) and a.name == "__dict__")
        for a in value
    )


def take_over(interp: Interpreter, obj: Instance, args: Arguments) -> None:
    """`settings.update(others)` of a dict whose attributes are its entries: it gets all that the others have."""
    given = args.positional[0] if args.positional else NOTHING
    for other in refs(given, Instance):
        for slot, value in list(other.heap.items()):
            if slot.isidentifier() and other is not obj:
                interp.write(obj, slot, value)
    entries = [(slot[1:], value) for other in refs(given, Dict) for slot, value in other.heap.items() if slot.startswith("=")]
    for slot, value in (*entries, *args.keywords.items()):
        interp.write(obj, slot, value)
    if given and not refs(given, Instance, Dict):
        set_by_options(interp, obj)


def has_entries_as_attributes(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class is a dict whose attributes are its entries: `def __setattr__(self, name, value): self[name] = value`."""
    member = classes.find_member(interp, cls, "__setattr__") if "builtins.dict" in classes.external_bases(interp, cls) else None
    return member is not None and isinstance(member[0], ir.Function) and _writes_entries(member[0])


@ir.kept_with_code
def _writes_entries(function: ir.Function) -> bool:
    own, name = [p.name for p in function.params[:2]] if len(function.params) > 1 else ("", "")
    return any(
        isinstance(stmt, ir.Assign)
        and any(isinstance(t, ir.Subscript) and (ir.path_of(t.value), ir.path_of(t.index)) == (own, name) for t in stmt.targets)
        for stmt in ir.statements(function.body)
    )
