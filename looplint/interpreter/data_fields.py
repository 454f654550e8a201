"""What the constructor of a data class does, which stands nowhere in the text: it gives the fields their values, then calls `__post_init__`.

The fields of a named tuple are its items as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from looplint.dataclass import dataclass
from looplint.domain.objects import Container, Obj
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, ClassRef, External, Func, Tuple, Value, ref, refs
from looplint.interpreter import classes, spread
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.lookup import call_effect
from looplint.syntax import ir

_FACTORIES = ("default_factory", "factory")
# What a data class calls after its generated constructor.
AFTER = ("__post_init__", "__attrs_post_init__")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    owner: ClassRef
    # What it is by default, or what makes that for each object, and the call `field(...)` that says so.
    default: ir.Expr | None = None
    factory: ir.Expr | None = None
    told_by: ir.Call | None = None
    # Whether the constructor takes it, and whether it hands it to `__post_init__` alone.
    taken: bool = True
    handed: bool = False


def construct(interp: Interpreter, obj: Obj, cls: ClassRef, args: Arguments, expr: ir.Call) -> bool:
    """Follow the constructor of a class without one of its own; tells whether it has fields."""
    number, found, handed = 0, False, []
    for field in _fields(interp, cls):
        found = True
        value = args.get(number, field.name) if field.taken else None
        number += field.taken
        if value is None:
            optional = field.default is not None or field.factory is not None
            if not args.starred:
                value = _default(interp, obj, field)
            elif optional or (args.spread and field.taken):
                value = spread.given(interp, args, optional=optional)
        if field.handed:
            handed.append(value or UNKNOWN)
        elif value is not None:
            interp.write(obj, field.name, value)
    after = set_up(interp, cls, obj)
    if after is not None:
        interp.call_function(after, Arguments(handed), expr)
    return found


def named_tuple(interp: Interpreter, cls: ClassRef, args: Arguments) -> Value | None:
    """The tuple that calling a class makes which derives from NamedTuple, and adds no methods; None for any other class."""
    if not is_named_tuple(interp, cls) or args.starred or any(each.cls.methods for each in classes.mro(interp, cls)):
        return None
    fields = list(_fields(interp, cls))
    names = tuple(field.name for field in fields)
    if not names or len(args.positional) > len(names) or not args.keywords.keys() <= set(names):
        return None
    items = (
        args.get(number, field.name) or (classes.static_value(interp, field.default, cls.module, cls.closure) if field.default else UNKNOWN)
        for number, field in enumerate(fields)
    )
    return frozenset({Tuple(tuple(items), names)})


def items_of(interp: Interpreter, obj: Obj) -> list[Value] | None:
    """The items of an object whose class derives from NamedTuple and adds methods to it; None for any other object."""
    if obj.cls is None or not is_named_tuple(interp, obj.cls):
        return None
    return [obj.heap.get(field.name, UNKNOWN) for field in _fields(interp, obj.cls)] or None


def is_named_tuple(interp: Interpreter, cls: ClassRef) -> bool:
    return any(call_effect(base) == "named-tuple" for base in classes.external_bases(interp, cls))


def set_up(interp: Interpreter, cls: ClassRef, obj: Obj) -> Func | None:
    """The method of a data class that its constructor calls at its end."""
    members = (classes.find_member(interp, cls, name) for name in AFTER)
    found = next((member for member in members if member is not None), None)
    if found is None or not isinstance(found[0], ir.Function):
        return None
    return Func(found[0], found[1].module, found[1].closure, ref(obj), found[1])


def fill(interp: Interpreter, obj: Obj, cls: ClassRef) -> None:
    """Give an object that nothing in sight builds the containers which each object of its class has for itself; other defaults may be set otherwise."""
    if classes.find_member(interp, cls, "__init__") is not None:
        return
    for field in _fields(interp, cls):
        made = _default(interp, obj, field) if field.factory is not None and field.name not in obj.heap else None
        if made and len(refs(made, Container)) == len(made):
            for container in refs(made, Container):
                container.loops = ()
            interp.write(obj, field.name, made)


def _fields(interp: Interpreter, cls: ClassRef) -> Iterator[_Field]:
    """The fields of a class, those of its bases first."""
    found: dict[str, _Field] = {}
    for each in reversed(classes.mro(interp, cls)):
        for name, field in each.cls.fields.items():
            kind = ir.render(field.annotation)
            if "ClassVar" in kind or "KW_ONLY" in kind:
                continue
            found[name] = _field(interp, name, each, field.default, handed="InitVar" in kind)
    for stmt in cls.cls.body:
        if isinstance(stmt, ir.Assign) and isinstance(stmt.targets[0], ir.Name) and stmt.targets[0].id not in cls.cls.fields:
            name = stmt.targets[0].id
            found.setdefault(name, _field(interp, name, cls, stmt.value, handed=False))
    yield from found.values()


def _field(interp: Interpreter, name: str, owner: ClassRef, default: ir.Expr | None, *, handed: bool) -> _Field:
    if not isinstance(default, ir.Call) or not _tells_of_a_field(interp, default, owner):
        return _Field(name, owner, default, handed=handed)
    given = {arg.keyword: arg.value for arg in default.args if arg.keyword is not None}
    factory = next((given[key] for key in _FACTORIES if key in given), None)
    taken = given.get("init")
    return _Field(
        name, owner, given.get("default"), factory, default, taken=not (isinstance(taken, ir.Const) and taken.value is False), handed=handed
    )


def _tells_of_a_field(interp: Interpreter, call: ir.Call, owner: ClassRef) -> bool:
    callee = classes.static_value(interp, call.func, owner.module, owner.closure)
    return any(isinstance(a, External) and call_effect(a.qualname) == "field" for a in callee)


def _default(interp: Interpreter, obj: Obj, field: _Field) -> Value | None:
    """What an object has in a field that its constructor is not given; None where it has to be given it."""
    if field.factory is None or field.told_by is None:
        return classes.static_value(interp, field.default, field.owner.module, field.owner.closure) if field.default is not None else None
    factory = classes.static_value(interp, field.factory, field.owner.module, field.owner.closure)
    if not interp.alive:
        return NOTHING
    # Each object has one of its own in each field.
    here = interp.frame
    interp.frame = copy(here)
    interp.frame.ctx = interp.context(here.ctx, obj.key, field.name)
    try:
        return interp.call(factory, Arguments(), field.told_by)
    finally:
        interp.frame = here
