"""Attributes that only the constructor sets, and options of the command line: a test of one has the same outcome in every turn of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Obj, Options
from looplint.domain.values import NOTHING, UNKNOWN, Ref, Value
from looplint.interpreter.frames import Frame
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

_SETTERS = frozenset({"setattr", "vars", "exec"})
# What only reads the attributes that `vars(args)` gives.
_READING = frozenset({"items", "keys", "values", "get", "copy"})


def owner_of(frame: Frame, names: frozenset[str]) -> Obj | None:
    """The object whose attributes are all that a test reads, where none of them changes after its constructor; None where that is not known."""
    attributes = {name.removeprefix("self.") for name in names if name != "self"}
    if frame.function.name == "__init__" or not attributes or any("." in a or f"self.{a}" not in names for a in attributes):
        return None
    instance = _instance_around(frame)
    for atom in instance if len(instance) == 1 else ():
        if (
            isinstance(atom, Ref)
            and atom.obj.cls is not None
            and (atom in _first(frame).instance if atom.obj.symbolic else atom.obj.loops == ())
            and attributes <= atom.obj.heap.keys()
        ):
            modules = {id(m): m for m in (frame.module, atom.obj.cls.module, atom.obj.source) if m is not None}
            rebound = [rebound_in(module) for module in modules.values()]
            if all(found is not None and not attributes & found for found in rebound):
                return atom.obj
    return None


def by_options(frame: Frame, test: ir.Expr, names: frozenset[str]) -> bool:
    """Whether a test reads options of the command line alone, which nothing in its module sets: the user has decided it."""
    return bool(options_asked(frame, test, names))


def options_asked(frame: Frame, test: ir.Expr, names: frozenset[str]) -> frozenset[Options]:
    """The options of the command line of which a test reads some, and nothing else, where nothing in its module sets these; none where it may read more."""
    read = [name for name in names if not any(other.startswith(f"{name}.") for other in names)]
    found = [options for name in read if (options := _options_at(frame, name)) is not None]
    if len(found) < len(read):
        return frozenset()
    attributes = {attribute for name in read for attribute in name.split(".")[1:]}
    if any(isinstance(e, ir.Call) for e in ir.walk(test)):
        return frozenset()
    rebound = rebound_in(frame.module)
    return frozenset(found) if rebound is not None and rebound.isdisjoint(attributes) else frozenset()


def _options_at(frame: Frame, path: str) -> Options | None:
    """The options of which one stands at a path: `args.rate`, or `self.args.rate` where an object keeps them."""
    root, *attributes = path.split(".")
    held = _held_by(frame, root)
    for attribute in attributes:
        options = next((atom.obj for atom in held if isinstance(atom, Ref) and isinstance(atom.obj, Options)), None)
        if options is not None:
            return options
        held = next((atom.obj.heap.get(attribute, NOTHING) for atom in held if len(held) == 1 and isinstance(atom, Ref)), NOTHING)
    return None


def _held_by(frame: Frame, name: str) -> Value:
    """What a name holds in an activation, in those around its function, or at the top of its module."""
    here: Frame | None = frame
    while here is not None:
        if name in here.locals:
            return here.locals[name]
        here = here.closure
    return frame.module.frame.locals.get(name, UNKNOWN) if frame.module.frame is not None else UNKNOWN


def _instance_around(frame: Frame) -> Value:
    """The object of the method that a frame is an activation of, or in which its function is defined."""
    here: Frame | None = frame
    while here is not None:
        if here.instance:
            return here.instance
        here = here.closure
    return NOTHING


def _first(frame: Frame) -> Frame:
    """The activation with which an analysis began: the object of its method is one and the same throughout."""
    while frame.caller is not None and frame.caller.call is not None:
        frame = frame.caller
    return frame


def rebound_in(module: ModuleInfo) -> frozenset[str] | None:
    """The attributes that a module sets outside of constructors, and the names of its properties; None where it may set any."""
    code = module.lowered()
    return _set_in(code) if code is not None else None


@ir.kept_with_code
def _set_in(code: ir.ModuleCode) -> frozenset[str] | None:
    found: set[str] = set()
    for function in (code.top, *code.functions):
        for stmt in ir.statements(function.body):
            if may_set_any(stmt):
                return None
            if function.name != "__init__":
                found.update(_attributes(stmt))
    # A property of that name is computed; a plain method is no value, so an attribute that has its name is that of something else.
    found.update(name for cls in code.classes for name, method in cls.methods.items() if method.decorators)
    return frozenset(found)


def set_on_others(module: ModuleInfo) -> frozenset[str] | None:
    """The attributes that a module gives to what is not the object of the method that does so; None where it may give any."""
    code = module.lowered()
    return _set_on_others_in(code) if code is not None else None


@ir.kept_with_code
def _set_on_others_in(code: ir.ModuleCode) -> frozenset[str] | None:
    if _set_in(code) is None:
        return None
    methods = {id(method) for cls in code.classes for method in cls.methods.values()}
    found: set[str] = set()
    for function in (code.top, *code.functions):
        own = f"{function.params[0].name}." if id(function) in methods and function.params else "."
        for stmt in ir.statements(function.body):
            for target in ir.targets(stmt):
                paths = [ir.path_of(each) or "" for each in ir.single_targets(target)]
                if not all(path.startswith(own) and path.count(".") == 1 for path in paths):
                    found.update(_set_by(target))
    return frozenset(found)


def may_set_any(stmt: ir.Stmt) -> bool:
    """Whether a statement sets attributes by names that are computed; `vars(args)` that is shown, passed on or gone through is only read."""
    parts = [e for whole in (*ir.targets(stmt), *ir.expressions(stmt)) for e in ir.walk(whole)]
    read = {id(stmt.iter)} if isinstance(stmt, ir.For) else set()
    for each in parts:
        match each:
            case ir.Call(func=ir.Attr(attr=name, value=receiver)) if name in _READING:
                read.add(id(receiver))
            case ir.Compare():
                read |= {id(part) for part in ir.children(each)}
        if isinstance(each, ir.Call):
            read |= {id(arg.value) for arg in each.args}
    return any(isinstance(e, ir.Call) and _sets_any(e, read=id(e) in read) for e in parts)


def _sets_any(call: ir.Call, *, read: bool) -> bool:
    match call:
        case ir.Call(func=ir.Name(id="vars"), args=[ir.Arg(value=ir.Name(id=of))]):
            return not read or of == "self"
    return ir.path_of(call.func) in _SETTERS


def _attributes(stmt: ir.Stmt) -> Iterator[str]:
    for target in ir.targets(stmt):
        yield from _set_by(target)


def _set_by(target: ir.Expr) -> Iterator[str]:
    """The attributes that an assignment to a target sets, or sets entries of: of `self.config.rate` the last, the others are only read."""
    match target:
        case ir.Attr(attr=name):
            yield name
        case ir.Subscript(value=holder):
            yield from _set_by(holder)
        case _:
            for part in ir.children(target):
                yield from _set_by(part)
