"""Calls: into project functions and classes, with the caller's objects; into libraries, through the tables; into the unknown."""

from __future__ import annotations

from collections.abc import Sequence

from looplint.domain.objects import FrameworkModule, Instance, Obj, Optimizer, Scaler, Scheduler
from looplint.domain.tensors import combine
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Const,
    External,
    Func,
    Method,
    Partial,
    Ref,
    Tensor,
    Unknown,
    Value,
    join,
    ref,
    stable,
)  # fmt: skip
from looplint.interpreter import choices, classes, functions, hooks, objects, transfers, unfollowed
from looplint.interpreter.frames import Snapshot
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.lookup import ONE_OF_A_KIND, call_effect
from looplint.knowledge.own import effect_of_definition
from looplint.syntax import ir

# Kinds of objects to which a method that is not known may do anything.
_CHANGED_BY_METHODS = (Optimizer, Scheduler, Scaler, Instance, FrameworkModule)
# A call context grows by one call site each time a function is entered.
CallContext = tuple[object, int]


def call(m: Interpreter, callee: Value, args: Arguments, expr: ir.Call) -> Value:
    """Call everything that the callee can be; with several, the paths split and join again."""
    candidates = [a for a in callee if not (isinstance(a, Const) and a.value is None)]
    if len(candidates) > 1:
        known = [a for a in candidates if not isinstance(a, Unknown)]
        candidates = sorted(_without_fallbacks(known) or candidates[:1], key=stable)
    if len(candidates) == 1:
        return _call_one(m, candidates[0], args, expr)
    if not candidates:
        return unfollowed.unknown_call(m, None, args, expr)
    before = m.save()
    ends: list[Snapshot] = []
    result: Value = NOTHING
    alike = _build_one_thing(candidates)
    m.candidates += not alike
    choice = choices.of_callee(expr, candidates) if not alike else None
    for number, atom in enumerate(candidates):
        m.restore(before)
        if choice is not None and number < len(candidates) - 1:
            m.choose(choice.path, choice.objects[number], False)
            others = m.save()
            m.restore(before)
            m.choose(choice.path, choice.objects[number], True)
            before = others
        result = join(result, _call_one(m, atom, args, expr))
        ends.append(m.save())
    m.candidates -= not alike
    m.join_at(ends)
    for atom in result if alike else ():
        if isinstance(atom, Ref):
            atom.obj.qualname = ""  # which class it is, is not known
    return result


def _without_fallbacks(candidates: Sequence[Atom]) -> list[Atom]:
    """The callees without what stands for a known name of a library where that is not there: `except ImportError:`, a class of the same name."""
    known = {a.qualname.rpartition(".")[2] for a in candidates if isinstance(a, External) and call_effect(a.qualname) is not None}
    return [a for a in candidates if not (known and _stands_for(a) in known)]


def _stands_for(atom: Atom) -> str:
    match atom:
        case External(qualname) if call_effect(qualname) is None:
            return qualname.rpartition(".")[2]
        case ClassRef(cls):
            return cls.name
    return ""


def _build_one_thing(candidates: list[Atom]) -> bool:
    """Whether the callees are classes of a library of which each way takes one, as from a table or an import with a fallback: one object is built."""
    effects = {call_effect(a.qualname) if isinstance(a, External) else None for a in candidates}
    return len(effects) == 1 and effects <= ONE_OF_A_KIND


def _call_one(m: Interpreter, atom: Atom, args: Arguments, expr: ir.Call) -> Value:
    match atom:
        case Func(function, info, _, None) if told := effect_of_definition(info.path, function.name):
            return apply(m, *told, args, expr)
        case ClassRef(cls, info) if told := effect_of_definition(info.path, cls.name):
            return apply(m, *told, args, expr)
        case Func():
            return functions.call_function(m, atom, args, expr)
        case ClassRef():
            return instantiate(m, atom, args, expr)
        case External():
            effect = call_effect(atom.qualname)
            if effect is None:
                return unfollowed.unknown_call(m, atom, args, expr)
            return apply(m, effect, atom.qualname, args, expr)
        case Method(Ref(obj), name):
            return call_method(m, obj, name, args, expr)
        case Method():
            return hooks.method_called.run(m, atom, args, expr)
        case Partial():
            merged = Arguments([*atom.args, *args.positional], {**dict(atom.kwargs), **args.keywords}, args.starred)
            return call(m, atom.func, merged, expr)
        case Ref():
            return call_object(m, atom.obj, args, expr)
        case Tensor():
            return frozenset({combine(m.grad, [frozenset({atom}), *args.values()]) or atom})
    return unfollowed.unknown_call(m, atom, args, expr)


def apply(m: Interpreter, effect: str, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Apply the effect of calling a library's name."""
    function = transfers.CALLS.get(effect)
    return function(m, qualname, args, expr) if function is not None else unfollowed.unknown_call(m, None, args, expr)


def call_object(m: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """`obj(...)`: what objects of its kind do, or its class's own `__call__`."""
    application = transfers.APPLICATIONS.get(type(obj))
    if application is not None:
        return application(m, obj, args, expr)
    own = own_call(m, obj, args, expr)
    return own if own is not None else unfollowed.unknown_call(m, Ref(obj), args, expr)


def own_call(m: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> Value | None:
    """Follow the `__call__` of an object's class; None where that has none."""
    member = classes.find_member(m, obj.cls, "__call__") if obj.cls is not None else None
    return call(m, classes.bind(m, member, obj), args, expr) if member is not None else None


def call_method(m: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method that a library gives an object: by its effect in the tables, or by the object's kind."""
    if name.startswith("super."):
        return hooks.super_called.run(m, obj, name[6:], args, expr)
    effect = objects.effect_of(obj, name)
    if effect is not None:
        hooks.handed.run(obj, args)
        method = transfers.METHODS.get(effect)
        return method(m, obj, name, args, expr) if method is not None else apply(m, effect, f"{obj.kind}.{name}", args, expr)
    method = transfers.METHODS_OF.get(type(obj))
    if method is not None:
        return method(m, obj, name, args, expr)
    given = Arguments([ref(obj), *args.positional], args.keywords) if isinstance(obj, _CHANGED_BY_METHODS) else args
    return unfollowed.unknown_call(m, Ref(obj), given, expr)


def build(m: Interpreter, kind: type[Obj], qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """An object of a library's class."""
    obj = m.create(kind, expr.node, qualname=qualname)
    constructed(m, obj, args, expr)
    return ref(obj)


def builds(kind: type[Obj]) -> transfers.Transfer:
    """The transfer function of a name that builds an object of a kind."""
    return lambda m, qualname, args, expr: build(m, kind, qualname, args, expr)


def constructed(m: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> None:
    """Note what an object was built from, and that it was built here."""
    if not m.alive:
        return
    if obj.loops is None:
        obj.loops = m.loops
    construction = transfers.CONSTRUCTIONS.get(type(obj))
    if construction is not None:
        construction(m, obj, args, expr)


def instantiate(m: Interpreter, cls: ClassRef, args: Arguments, expr: ir.Call) -> Value:
    """Make an instance of a project class, and follow its constructor."""
    kind = classes.kind_of_class(m, cls)
    obj = m.create(kind, expr.node, cls=cls)
    init = classes.find_member(m, cls, "__init__")
    fields = None if init else _dataclass_fields(m, cls)
    if init is not None and isinstance(init[0], ir.Function):
        hooks.constructing.run(m, obj, cls)
        functions.call_function(m, Func(init[0], init[1].module, init[1].closure, ref(obj), init[1]), args, expr)
    elif fields:
        for number, (name, default) in enumerate(fields.items()):
            value = args.get(number, name)
            if value is None and default is not None:
                value = classes.static_value(m, default, cls.module) if not args.starred else UNKNOWN
            if value is not None:
                m.write(obj, name, value)
    elif kind is Instance and classes.has_unknown_base(m, cls):
        unfollowed.unknown_call(m, None, args, expr)
    constructed(m, obj, args, expr)
    return ref(obj)


def _dataclass_fields(m: Interpreter, cls: ClassRef) -> dict[str, ir.Expr | None]:
    """The fields of a class without a constructor, those of its bases first, with their defaults."""
    found: dict[str, ir.Expr | None] = {}
    for each in reversed(classes.mro(m, cls)):
        found.update((name, field.default) for name, field in each.cls.fields.items())
    for stmt in cls.cls.body:
        if isinstance(stmt, ir.Assign) and isinstance(stmt.targets[0], ir.Name):
            found.setdefault(stmt.targets[0].id, stmt.value)
    return found


def instance_for(m: Interpreter, cls: ClassRef) -> Obj:
    """An instance for the methods that nobody calls: its constructor is followed with unknown arguments."""
    key = ("instance-of", id(cls.cls))
    obj = m.known(classes.kind_of_class(m, cls), key, cls.cls.name, cls)
    obj.symbolic = True
    return obj
