"""Calls: into project functions and classes, with the caller's objects; into libraries, through the tables; into the unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from looplint.domain.autocast import Autocast, region_of
from looplint.domain.membership import ready
from looplint.domain.tensors import combine
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Const,
    External,
    Func,
    Iter,
    Method,
    Obj,
    Partial,
    Ref,
    Super,
    Tensor,
    Tuple,
    Unknown,
    Value,
    join,
    ref,
)  # fmt: skip
from looplint.interpreter import choices, hooks, transfers, unfollowed
from looplint.interpreter.frames import Frame, Snapshot, merge
from looplint.interpreter.machine import DEPTH, Machine
from looplint.knowledge.lookup import call_effect
from looplint.knowledge.own import effect_of_definition
from looplint.knowledge.pytorch import SWITCHING_WORDS
from looplint.syntax import ir
from looplint.syntax.site import Site

if TYPE_CHECKING:
    from looplint.syntax.project import ModuleInfo

# Kinds of objects to which a method that is not known may do anything.
_CHANGED_BY_METHODS = frozenset({"optimizer", "scheduler", "scaler", "instance", "framework"})
# A call context grows by one call site each time a function is entered.
CallContext = tuple[object, int]


def static_value(m: Machine, expr: ir.Expr, module: ModuleInfo) -> Value:
    """The value of an expression of a module's top level (a base class, a class attribute)."""
    from looplint.interpreter.expressions import evaluate

    if module.frame is None:
        return UNKNOWN
    saved, m.frame = m.frame, module.frame
    try:
        return evaluate(m, expr)
    finally:
        m.frame = saved


def super_member(m: Machine, atom: Super, name: str) -> Value:
    from looplint.interpreter import objects

    for obj in (a.obj for a in atom.instance if isinstance(a, Ref)):
        line = objects.line(m, obj.cls) if obj.cls else []
        after = line[line.index(atom.owner) + 1 :] if atom.owner in line else []
        for cls in after:
            if isinstance(cls, External):
                if name == "__init__" or objects.effect_of(obj, name) is not None:
                    break  # a library's class stands before: the method is its own
                continue
            method = cls.cls.methods.get(name)
            if method is not None:
                return frozenset({Func(method, cls.module, cls.closure, ref(obj), cls)})
        return frozenset({Method(Ref(obj), f"super.{name}")})
    return UNKNOWN


def plain_attribute(m: Machine, atom: Atom, name: str) -> Value:
    """An attribute of a value that is no object of the heap."""
    match atom:
        case ClassRef():
            from looplint.interpreter import objects

            found = objects.find_member(m, atom, name)
            if found is None:
                return UNKNOWN
            what, owner = found
            if isinstance(what, ir.Assign):
                return static_value(m, what.value, owner.module)
            if isinstance(what, ir.Function):
                is_class_method = any(isinstance(d, ir.Name) and d.id == "classmethod" for d in what.decorators)
                return frozenset({Func(what, owner.module, owner.closure, frozenset({atom}) if is_class_method else None, owner)})
        case Iter() | Const() | Method():
            return frozenset({Method(atom, name)})
        case Unknown():
            return frozenset({Method(atom, name)})
        case Tuple() if name in ("values", "indices") and len(atom.items) == 2:
            return atom.items[name == "indices"]
    return UNKNOWN


def call(m: Machine, callee: Value, args: Arguments, expr: ir.Call) -> Value:
    """Call everything that the callee can be; with several, the paths split and join again."""
    candidates = [a for a in callee if not (isinstance(a, Const) and a.value is None)]
    if len(candidates) > 1:
        known = [a for a in candidates if not isinstance(a, Unknown)]
        candidates = sorted(known or candidates[:1], key=stable)
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


def _build_one_thing(candidates: list[Atom]) -> bool:
    """Whether the callees are classes of a library of which each way takes one, as from a table of optimizers: one object is built."""
    effects = {call_effect(a.qualname) if isinstance(a, External) else None for a in candidates}
    return len(effects) == 1 and effects <= {"optimizer", "module", "loss"}


def stable(atom: Atom) -> tuple[str, str]:
    match atom:
        case Func():
            return ("Func", atom.function.qualname)
        case ClassRef():
            return ("ClassRef", atom.cls.qualname)
        case Method():
            return ("Method", f"{stable(atom.obj)}{atom.name}")
        case Ref():
            return ("Ref", f"{atom.obj.kind}{atom.obj.name}{atom.obj.qualname}")
        case External():
            return ("External", atom.qualname)
    return (type(atom).__name__, "")


def _call_one(m: Machine, atom: Atom, args: Arguments, expr: ir.Call) -> Value:
    match atom:
        case Func(function, info, _, None) if told := effect_of_definition(info.path, function.name):
            return apply(m, *told, args, expr)
        case ClassRef(cls, info) if told := effect_of_definition(info.path, cls.name):
            return apply(m, *told, args, expr)
        case Func():
            return call_function(m, atom, args, expr)
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


def apply(m: Machine, effect: str, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Apply the effect of calling a library's name."""
    function = transfers.CALLS.get(effect)
    return function(m, qualname, args, expr) if function is not None else unfollowed.unknown_call(m, None, args, expr)


def call_object(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """`obj(...)`: what objects of its kind do, or its class's own `__call__`."""
    application = transfers.APPLICATIONS.get(obj.kind)
    if application is not None:
        return application(m, obj, args, expr)
    own = own_call(m, obj, args, expr)
    return own if own is not None else unfollowed.unknown_call(m, Ref(obj), args, expr)


def own_call(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> Value | None:
    """Follow the `__call__` of an object's class; None where that has none."""
    from looplint.interpreter import objects

    member = objects.find_member(m, obj.cls, "__call__") if obj.cls is not None else None
    return call(m, objects.bind(m, member, obj), args, expr) if member is not None else None


def call_method(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method that a library gives an object: by its effect in the tables, or by the object's kind."""
    from looplint.interpreter import objects

    if name.startswith("super."):
        return hooks.super_called.run(m, obj, name[6:], args, expr)
    effect = objects.effect_of(obj, name)
    if effect is not None:
        hooks.handed.run(obj, args)
        method = transfers.METHODS.get(effect)
        return method(m, obj, name, args, expr) if method is not None else apply(m, effect, f"{obj.kind}.{name}", args, expr)
    method = transfers.METHODS_OF.get(obj.kind)
    if method is not None:
        return method(m, obj, name, args, expr)
    given = Arguments([ref(obj), *args.positional], args.keywords) if obj.kind in _CHANGED_BY_METHODS else args
    return unfollowed.unknown_call(m, Ref(obj), given, expr)


def build(m: Machine, kind: str, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """An object of a library's class."""
    obj = m.create(kind, expr.node, qualname=qualname)
    constructed(m, obj, args, expr)
    return ref(obj)


def builds(kind: str) -> transfers.Transfer:
    """The transfer function of a name that builds an object of a kind."""
    return lambda m, qualname, args, expr: build(m, kind, qualname, args, expr)


def constructed(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> None:
    """Note what an object was built from, and that it was built here."""
    if not m.alive:
        return
    obj.info.setdefault("loops", m.loops)
    construction = transfers.CONSTRUCTIONS.get(obj.kind)
    if construction is not None:
        construction(m, obj, args, expr)


def call_values(m: Machine, callee: Value, positional: Sequence[Value] = ()) -> Value:
    """A call that stands nowhere in the text (`__iter__`, `__getitem__`, `__enter__`)."""
    result: Value = NOTHING
    for atom in callee:
        if isinstance(atom, Func):
            result = join(result, call_function(m, atom, Arguments(list(positional)), ir.Name(atom.function.node, atom.function.name)))
    return result or UNKNOWN


# -- project functions


def call_function(m: Machine, func: Func, args: Arguments, expr: ir.Expr) -> Value:
    """Follow a project function with the caller's objects."""
    function = func.function
    if not m.aside:
        m.facts.called.add(function)
    if not m.aside and func.module is not m.main and func.module.path is not None:
        m.facts.followed.add(f"{func.module.filename}::{function.qualname}")
    if not m.alive:
        return UNKNOWN
    if m.frame.depth >= DEPTH or m.active.count(function) >= 1:
        if func.bound is not None and function.name == "__init__":
            ready(func.bound)
        return unfollowed.unknown_call(m, func, args, expr)
    frame = enter(m, func, expr)
    bind_parameters(m, frame, func, args)
    if isinstance(expr, ir.Call) and function.tested:
        frame.given = _given(m, func, expr)
    result = run_frame(m, frame)
    if _is_own_update(func):
        unfollowed.unknown_call(m, func, Arguments([func.bound] if func.bound else []), expr)
    if function.is_generator and frame.on_yield is None:
        return frozenset({Iter(frame.yields or UNKNOWN)})
    return result


def _is_own_update(func: Func) -> bool:
    """Whether a method belongs to an optimizer of the project: what it does to the parameters is its own affair."""
    bound = func.bound or ()
    return not func.function.name.startswith("_") and any(
        isinstance(a, Ref) and a.obj.kind == "optimizer" and a.obj.cls is not None for a in bound
    )


def _given(m: Machine, func: Func, call: ir.Call) -> dict[str, frozenset[str]]:
    """For each parameter that the function tests: the names behind its argument, here and in the callers."""
    plain = [p.name for p in func.function.params if p.kind == "plain"][1 if func.bound is not None else 0 :]
    positional = [a.value for a in call.args if not a.star and a.keyword is None]
    arguments = [*zip(plain, positional, strict=False), *((a.keyword, a.value) for a in call.args if a.keyword is not None)]
    found = {}
    for name, value in arguments:
        if name in func.function.tested:
            names = ir.paths_in(value)
            found[name] = frozenset(names).union(*(m.frame.given.get(n, ()) for n in names))
    return found


def enter(m: Machine, func: Func, expr: ir.Expr) -> Frame:
    frame = Frame(func.function, func.module, func.closure, (m.frame.ctx, id(expr.node)), m.frame.depth + 1)
    frame.owner = func.owner
    frame.entered = m.loops
    frame.call = Site(m.frame.module, expr.node)
    frame.calls = (*m.frame.calls, frame.call)
    frame.outside = m.frame.outside if func.owner is not None and _is_model(func) else len(frame.calls)
    return frame


def enter_alone(m: Machine, func: Func) -> Frame:
    """A frame for a function that no call of the program leads to here."""
    frame = enter(m, func, ir.Name(func.function.node, func.function.name))
    frame.calls, frame.outside = (), 0
    return frame


def _is_model(func: Func) -> bool:
    """Whether a function is the method of a module that does not train itself."""
    modules = [a.obj for a in func.bound or () if isinstance(a, Ref) and a.obj.kind in ("module", "loss")]
    return bool(modules) and func.owner is not None and not func.owner.cls.trains_itself


def run_frame(m: Machine, frame: Frame) -> Value:
    """Run a function's body in a frame that has its arguments, and come back."""
    caller, grad, statement = m.frame, m.grad, m.statement
    guards, scopes = m.guards, m.scopes
    m.frame, m.scopes = frame, []
    m.active.append(frame.function)
    assembles = _assembles(frame)
    m.assembling += assembles
    m.grad, switched = _grad_of_decorators(m, frame)
    autocast = m.autocast
    m.autocast = _autocast_of_decorators(m, frame) or autocast
    m.run_block(frame.function.body)
    m.autocast = autocast
    ends = [s for s, _ in frame.returns]
    values = [value for _, value in frame.returns]
    if m.alive:
        ends.append(m.save())
        values.append(NONE)
    end = merge(ends) if ends else Snapshot([], {}, grad, guards)
    frame.locals = end.locals
    m.active.pop()
    m.assembling -= assembles
    m.frame, m.scopes, m.statement = caller, scopes, statement
    m.at = list(end.at)
    m.guards = guards
    m.grad = grad if switched else end.grad
    return choices.returned(m, frame, values) or UNKNOWN


def _assembles(frame: Frame) -> bool:
    """Whether a frame is that of a module's constructor."""
    made = (a.obj.kind for a in frame.instance if isinstance(a, Ref))
    return frame.function.name == "__init__" and any(kind in ("module", "loss", "framework") for kind in made)


def _grad_of_decorators(m: Machine, frame: Frame) -> tuple[bool | None, bool]:
    """Whether gradients are on in a function's body, None where that is not known, and whether its decorators say so."""
    for decorator in frame.function.decorators:
        target = decorator.func if isinstance(decorator, ir.Call) else decorator
        if not any(word in ir.render(target).lower() for word in SWITCHING_WORDS):
            continue
        value = static_value(m, target, frame.module)
        effects = {call_effect(a.qualname) for a in value if isinstance(a, External)}
        if "no-grad" in effects:
            return False, True
        if "enable-grad" in effects:
            return True, True
        if m.grad and may_switch_gradients(value, target):
            return None, True
    return m.grad, False


def may_switch_gradients(value: Value, expr: ir.Expr) -> bool:
    """Whether code that cannot be followed says by its name that gradients may be off in it."""
    name = ir.render(expr.func if isinstance(expr, ir.Call) else expr).lower()
    return any(isinstance(a, Unknown | External | Method) for a in value) and any(word in name for word in SWITCHING_WORDS)


def _autocast_of_decorators(m: Machine, frame: Frame) -> Autocast | None:
    for decorator in frame.function.decorators:
        if isinstance(decorator, ir.Call) and (ir.path_of(decorator.func) or "").rpartition(".")[2] == "autocast":
            return region_of(static_value(m, decorator, frame.module))
    return None


def bind_parameters(m: Machine, frame: Frame, func: Func, args: Arguments) -> None:
    """Give every parameter its argument, its default, or the unknown."""
    positional = list(args.positional)
    if func.bound is not None:
        positional.insert(0, func.bound)
        frame.instance = func.bound
    keywords = dict(args.keywords)
    for param in func.function.params:
        match param.kind:
            case "*":
                frame.locals[param.name] = frozenset({Tuple(tuple(positional))})
                positional = []
                continue
            case "**":
                rest = m.create("dict", func.function.node, slot=frame.ctx)
                rest.info["exact"] = not args.starred
                for name, value in keywords.items():
                    m.write(rest, f"={name}", value)
                    m.write(rest, "[]", value)
                frame.locals[param.name] = ref(rest)
                keywords = {}
                continue
        if param.name in keywords:
            value = keywords.pop(param.name)
        elif positional and param.kind == "plain":
            value = positional.pop(0)
        elif param.default is not None and not args.starred:
            value = static_value(m, param.default, func.module)
        else:
            value = UNKNOWN
        frame.locals[param.name] = value


def instantiate(m: Machine, cls: ClassRef, args: Arguments, expr: ir.Call) -> Value:
    """Make an instance of a project class, and follow its constructor."""
    from looplint.interpreter import objects

    kind = objects.kind_of_class(m, cls)
    obj = m.create(kind, expr.node, cls=cls)
    init = objects.find_member(m, cls, "__init__")
    fields = None if init else _dataclass_fields(m, cls)
    if init is not None and isinstance(init[0], ir.Function):
        hooks.constructing.run(m, obj, cls)
        call_function(m, Func(init[0], init[1].module, init[1].closure, ref(obj), init[1]), args, expr)
    elif fields:
        for number, (name, default) in enumerate(fields):
            value = args.get(number, name)
            if value is None:
                value = static_value(m, default, cls.module) if default and not args.starred else UNKNOWN
            m.write(obj, name, value)
    elif kind == "instance" and objects.has_unknown_base(m, cls):
        unfollowed.unknown_call(m, None, args, expr)
    constructed(m, obj, args, expr)
    return ref(obj)


def _dataclass_fields(m: Machine, cls: ClassRef) -> list[tuple[str, ir.Expr | None]]:
    found: list[tuple[str, ir.Expr | None]] = []
    for stmt in cls.cls.body:
        if isinstance(stmt, ir.Assign) and isinstance(stmt.targets[0], ir.Name):
            found.append((stmt.targets[0].id, stmt.value))
    return found if not cls.cls.methods.get("__init__") else []


def instance_for(m: Machine, cls: ClassRef) -> Obj:
    """An instance for the methods that nobody calls: its constructor is followed with unknown arguments."""
    from looplint.interpreter import objects

    key = ("instance-of", id(cls.cls))
    obj = m.facts.created.get(key)
    if obj is None:
        obj = Obj(objects.kind_of_class(m, cls), key, cls.cls.name, cls=cls)
        obj.symbolic = True
        m.facts.created[key] = obj
    return obj
