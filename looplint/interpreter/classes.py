"""Classes of the program: their bases and members, and what an instance is to a training loop."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.domain.objects import KINDS, DerivedTrainer, FrameworkModule, Instance, Loss, Module, Obj, Optimizer, TorchModule
from looplint.domain.values import UNKNOWN, Arguments, ClassRef, External, Func, Ref, Tensor, Unknown, Value, ref, stable
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.frameworks import FRAMEWORK_BASES, OTHER_FRAMEWORKS, TRAINERS
from looplint.knowledge.lookup import call_effect, kind_of_subclass, listed_method
from looplint.knowledge.pytorch import BARE_MODULES, names_a_loss
from looplint.syntax import ir
from looplint.syntax.idle_scalers import is_idle_scaler
from looplint.syntax.project import ModuleInfo

_MODULE_BASES = BARE_MODULES | {"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"}
_REGISTERING = frozenset({"add_module", "register_module", "register_parameter", "__setattr__"})
_OF_CLASSES = frozenset({"super", "isinstance", "type", "id", "len", "str", "repr", "hasattr"})
_WITHOUT_METHODS = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_CONTAINERS = frozenset({
    "builtins.dict", "builtins.list", "builtins.set", "builtins.tuple",
    "collections.OrderedDict", "collections.UserDict", "collections.UserList", "collections.defaultdict", "collections.deque",
})  # fmt: skip
# The methods by which a dict gives its entries as attributes.
_OF_ATTRIBUTES = frozenset({"__init__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__"})
_HARMLESS = _WITHOUT_METHODS | BARE_MODULES | {"typing.NamedTuple"}


def static_value(interp: Interpreter, expr: ir.Expr, module: ModuleInfo, closure: Frame | None = None) -> Value:
    """The value of an expression of a module's top level, or of the function around it (a base class, a class attribute)."""
    frame = closure or module.frame
    if frame is None:
        return UNKNOWN
    saved, interp.frame = interp.frame, frame
    try:
        return interp.evaluate(expr)
    finally:
        interp.frame = saved


def mro(interp: Interpreter, cls: ClassRef, depth: int = 0) -> list[ClassRef]:
    """The class and its project bases, nearest first."""
    known = interp.lines.get(cls)
    if known is not None:
        return known
    found = [cls]
    if depth < 8:
        for atom in base_values(interp, cls):
            if isinstance(atom, ClassRef) and atom.cls is not cls.cls:
                found.extend(c for c in mro(interp, atom, depth + 1) if c not in found)
    if cls.module.frame is not None:
        interp.lines[cls] = found
    return found


def line(interp: Interpreter, cls: ClassRef, depth: int = 0) -> list[ClassRef | External]:
    """The class and its bases, those of libraries too, in the order in which a method is looked up: https://docs.python.org/3/howto/mro.html"""
    own: list[ClassRef | External] = []
    lines: list[list[ClassRef | External]] = []
    for base in base_values(interp, cls) if depth < 8 else ():
        if isinstance(base, ClassRef) and base.cls is not cls.cls:
            lines.append(line(interp, base, depth + 1))
            own.append(base)
        elif isinstance(base, External) and base.qualname not in _WITHOUT_METHODS:
            lines.append([base])
            own.append(base)
    return [cls, *_merged([*lines, own])]


def _merged(lines: list[list[ClassRef | External]]) -> list[ClassRef | External]:
    """One order that keeps those of all lines: first what stands behind nothing else that is left; any, where there is no such order."""
    found: list[ClassRef | External] = []
    left = [each for each in lines if each]
    while left:
        heads = [each[0] for each in left]
        first = next((head for head in heads if not any(head in each[1:] for each in left)), heads[0])
        found.append(first)
        left = [rest for each in left if (rest := [c for c in each if c != first])]
    return found


def base_values(interp: Interpreter, cls: ClassRef) -> list[ClassRef | External | Unknown]:
    found: list[ClassRef | External | Unknown] = []
    for base in cls.cls.bases:
        value = static_value(interp, base, cls.module, cls.closure)
        for atom in sorted(value, key=stable) if len(value) > 1 else value:
            found.append(atom if isinstance(atom, ClassRef | External) else Unknown())
    return found


def _bases_outside(interp: Interpreter, cls: ClassRef) -> list[External | Unknown]:
    """The bases that are no classes of the project, of the class itself and of those that it derives from."""
    return [a for c in mro(interp, cls) for a in base_values(interp, c) if not isinstance(a, ClassRef)]


def external_bases(interp: Interpreter, cls: ClassRef) -> list[str]:
    return [a.qualname for a in _bases_outside(interp, cls) if isinstance(a, External)]


def method_of_a_base(interp: Interpreter, cls: ClassRef | None, name: str) -> str | None:
    """The effect of a method that a class has of a base which is no class of the project, where the tables have that."""
    bases = external_bases(interp, cls) if cls is not None else ()
    return next((effect for base in bases if (effect := listed_method(base, name)) is not None), None)


def has_unknown_base(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class may have members that stand neither in the project nor in a class that is known to add none of its own."""
    return any(isinstance(a, Unknown) or a.qualname not in _HARMLESS for a in _bases_outside(interp, cls))


def has_unlisted_base(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class derives from one that neither the project nor the tables tell anything of."""
    return any(isinstance(a, Unknown) or not _is_listed(a.qualname) for a in _bases_outside(interp, cls))


def is_container(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class derives from containers of Python, and from nothing else that the project does not have."""
    bases = [a for a in _bases_outside(interp, cls) if isinstance(a, Unknown) or a.qualname not in _WITHOUT_METHODS]
    return bool(bases) and all(isinstance(a, External) and a.qualname in _CONTAINERS for a in bases)


def is_dict_of_attributes(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class of the project is a dict whose entries are its attributes as well, and no more than that: `self.__dict__ = self` in its constructor."""
    own = mro(interp, cls)
    plain = is_container(interp, cls) and all(_OF_ATTRIBUTES.issuperset(each.cls.methods) for each in own)
    return plain and any(_reads_entries(each.cls) for each in own) and all(_takes_entries(each.cls) for each in own)


def _reads_entries(cls: ir.Class) -> bool:
    constructor = cls.methods.get("__init__")
    own = constructor.params[0].name if constructor is not None and constructor.params else ""
    stored = [*ir.statements(constructor.body)] if constructor is not None else []
    shared = any(_names(stmt, f"{own}.__dict__") and isinstance(stmt, ir.Assign) and ir.path_of(stmt.value) == own for stmt in stored)
    return shared or "__getattr__" in cls.methods or "__getattr__" in cls.assigned


def _takes_entries(cls: ir.Class) -> bool:
    """Whether the constructor of a class hands on what it is given, as a dict takes it."""
    constructor = cls.methods.get("__init__")
    return constructor is None or all(param.kind in ("*", "**") for param in constructor.params[1:])


def _is_listed(qualname: str) -> bool:
    return qualname in _HARMLESS or qualname.startswith("torch.") or call_effect(qualname) is not None


def kind_of_class(interp: Interpreter, cls: ClassRef) -> type[Obj]:
    """What an instance of a project class is to a training loop."""
    bases = external_bases(interp, cls)
    for base in bases:
        if base.endswith(".LightningModule") and find_member(interp, cls, "training_step") is None:
            return Module  # nothing that a framework could train: a module that other ones are made of
        if base in FRAMEWORK_BASES:
            return DerivedTrainer if base in TRAINERS else FrameworkModule
        if base in _MODULE_BASES:
            return Loss if names_a_loss(cls.cls.name) else Module
        kind = kind_of_subclass(base)
        if kind is not None:
            return KINDS[kind]
    if has_unlisted_base(interp, cls):
        return _kind_by_methods(interp, cls)
    return KINDS["scaler"] if is_idle_scaler(cls.cls) else Instance


def _kind_by_methods(interp: Interpreter, cls: ClassRef) -> type[Obj]:
    """What a class is by the methods that it has for a base class to call, and by what it takes from that."""
    if _steps_parameters(interp, cls):
        return Optimizer
    if find_member(interp, cls, "forward") is None or any(base.startswith(OTHER_FRAMEWORKS) for base in external_bases(interp, cls)):
        return Instance
    return FrameworkModule if find_member(interp, cls, "training_step") is not None else Module


def _steps_parameters(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class steps parameter groups that a base has: torch's `Optimizer`, by way of a library that is not at hand."""
    step, groups = find_member(interp, cls, "step"), "param_groups"
    if step is None or not isinstance(step[0], ir.Function) or find_member(interp, cls, groups) is not None:
        return False
    used = step[0].usage_of_self
    return used is not None and groups in used.attrs and not any(_assignments(interp, cls, groups))


def find_member(interp: Interpreter, cls: ClassRef, name: str) -> tuple[ir.Function | ir.Assign, ClassRef] | None:
    """A method or class attribute, with the class that defines it."""
    for each in mro(interp, cls):
        method = each.cls.methods.get(name)
        if method is not None:
            return method, each
        assigned = each.cls.assigned.get(name)
        if assigned is not None:
            return assigned, each
    return None


def inner_class(interp: Interpreter, cls: ClassRef, name: str) -> ClassRef | None:
    """The class that stands in the body of a class, or of a base, under a name: `self.Models(generator=generator)`."""
    for each in mro(interp, cls):
        inner = each.cls.inner.get(name)
        if inner is not None:
            return ClassRef(inner, each.module, each.closure)
    return None


def bind(interp: Interpreter, member: tuple[ir.Function | ir.Assign, ClassRef], obj: Obj) -> Value:
    what, owner = member
    if isinstance(what, ir.Assign):
        return static_value(interp, what.value, owner.module)
    assert isinstance(what, ir.Function)
    if ir.is_static(what):
        return frozenset({Func(what, owner.module, owner.closure, None, owner)})
    func = Func(what, owner.module, owner.closure, ref(obj), owner)
    if ir.is_property(what):
        return interp.call_function(func, Arguments(), ir.Name(what.node, what.name))
    return frozenset({func})


def setter(interp: Interpreter, obj: Obj, name: str, value: Value) -> Func | None:
    """What sets a property of an object to a value; None where it has none. A module takes its parts and parameters by itself."""
    if obj.cls is None or (isinstance(obj, TorchModule) and any(isinstance(a, Tensor | Ref) for a in value)):
        return None
    found = find_member(interp, obj.cls, f"{name}.setter")
    if found is None or not isinstance(found[0], ir.Function):
        return None
    return Func(found[0], found[1].module, found[1].closure, ref(obj), found[1])


def is_left_open(interp: Interpreter, cls: ClassRef, name: str) -> bool:
    """Whether a class says of an attribute only that it is None at first: it is set by a subclass, by a base's method that nothing calls here, or out of sight."""
    key = (cls, name)
    setters = interp.setters.get(key)
    if setters is None:
        line = mro(interp, cls)
        setters = interp.setters[key] = [
            (f, c)
            for c in line
            for f in c.cls.methods.values()
            if _sets(f, name, anew=True) and not _is_left_to_callers(interp, f, c, line)
        ]
    if any(c.module is interp.main or f in interp.reached.functions for f, c in setters):
        return False
    known = interp.left_open.get(key)
    if known is None:
        known = interp.left_open[key] = not _has_subclass(interp, cls)
    return known


def lacks(interp: Interpreter, cls: ClassRef, name: str) -> bool:
    """Whether an instance of a class has no attribute of a name: each class of its line is known, and none sets it, by its name or by another way."""
    known = interp.lacking.get((cls, name))
    if known is None:
        methods = [f for c in mro(interp, cls) for f in c.cls.methods.values()]
        known = interp.lacking[cls, name] = (
            not has_unknown_base(interp, cls)
            and not any(_sets(f, name) or _may_set_any(f) for f in methods)
            and not any(name in c.cls.fields or any(_names(s, name) for s in c.cls.body) for c in mro(interp, cls))
        )
    return known


def is_an_output(interp: Interpreter, cls: ClassRef, name: str) -> bool:
    """Whether an attribute of a module holds what a part of it has given, and no part: its forward sets it, `self.field = self.net(x)`, and no constructor."""
    found = False
    for function, stmt in _assignments(interp, cls, name):
        match stmt:
            case ir.AugAssign():
                continue
            case ir.Assign(value=ir.Call(func=ir.Attr(value=ir.Name(id=holder), attr=part))) if (
                holder == function.params[0].name and function.name != "__init__" and find_member(interp, cls, part) is None
            ):
                found = found or function.name == "forward"
            case _:
                return False  # what a constructor or a method has made may be a part
    return found


def is_set_by_name(interp: Interpreter, cls: ClassRef, name: str) -> bool:
    """Whether methods of a class give its instances an attribute, by its name, and nothing else does: each class of its line is known."""
    methods = [f for c in mro(interp, cls) for f in c.cls.methods.values()]
    return (
        not has_unknown_base(interp, cls)
        and find_member(interp, cls, name) is None
        and any(_sets(f, name) for f in methods)
        and not any(map(_may_set_any, methods))
    )


def takes_part_in_making(cls: ir.Class) -> bool:
    """Whether something else than its constructor may make the instances of a class: a decorator, a metaclass, its `__new__`."""
    node = cls.node
    return "__new__" in cls.methods or (isinstance(node, cst.ClassDef) and bool(node.decorators or node.keywords))


def class_of(obj: Obj) -> ClassRef | None:
    """The class of the project that an object certainly is of: none of what is handed in, or is one of several."""
    return None if obj.symbolic or obj.one_of else obj.cls


def always_sets(interp: Interpreter, cls: ClassRef, name: str) -> bool:
    """Whether the constructor of a class sets an attribute on every path: by a statement of its own that stands in no branch."""
    init = find_member(interp, cls, "__init__")
    if init is None or not isinstance(init[0], ir.Function):
        return False
    return any(isinstance(s, ir.Assign) and any(ir.path_of(t) == f"self.{name}" for t in s.targets) for s in init[0].body)


def set_again(interp: Interpreter, cls: ClassRef, name: str) -> Iterator[ir.Assign | ir.AugAssign]:
    """Where a method other than the constructor sets an attribute of its object."""
    return (stmt for function, stmt in _assignments(interp, cls, name) if function.name != "__init__")


def _assignments(interp: Interpreter, cls: ClassRef, name: str) -> Iterator[tuple[ir.Function, ir.Assign | ir.AugAssign]]:
    """Where the methods of a class set an attribute of their object, by itself or among others."""
    for function in (f for c in mro(interp, cls) for f in c.cls.methods.values()):
        yield from ((function, stmt) for stmt in _sets_of_self(function).get(name, ()))


@ir.kept_with_code
def _sets_of_self(function: ir.Function) -> dict[str, list[ir.Assign | ir.AugAssign]]:
    """The assignments of a method that set attributes of its object, by the attribute's name."""
    found: dict[str, list[ir.Assign | ir.AugAssign]] = {}
    for stmt in ir.statements(function.body) if function.params else ():
        if isinstance(stmt, ir.Assign | ir.AugAssign):
            paths = {ir.path_of(each) or "" for target in ir.targets(stmt) for each in ir.single_targets(target)}
            for owner, _, name in (path.rpartition(".") for path in paths):
                if owner == function.params[0].name:
                    found.setdefault(name, []).append(stmt)
    return found


def _names(stmt: ir.Stmt, name: str) -> bool:
    return isinstance(stmt, ir.Assign) and any(ir.path_of(t) == name for t in stmt.targets)


def _may_set_any(function: ir.Function) -> bool:
    """Whether a method may set attributes of its object whose names it does not write: by `setattr(self, ...)`, `self.add_module(...)`."""
    if function.name in ("__getattr__", "__getattribute__"):
        return True
    usage = function.usage_of_self
    return usage is not None and bool(
        usage.methods & _REGISTERING
        or usage.attrs & {"__dict__", "_modules"}
        or any(callee not in _OF_CLASSES for callee, _ in usage.passed)
        or usage.named
    )


def is_mixed_in(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class of the file puts others beside a class: what these set up, the class finds on its object."""
    return any(len(each.bases) > 1 and _derives(interp, each, cls) for each in _own_classes(interp))


def _is_left_to_callers(interp: Interpreter, method: ir.Function, owner: ClassRef, line: list[ClassRef]) -> bool:
    """Whether a method of a base in the linted file is followed on objects of the base alone: no class of a line calls it on its own objects."""
    if owner.module is not interp.main or owner == line[0] or method.name == "__init__":
        return False
    return not any(each.cls.usage[method.name].called for each in line if method.name in each.cls.usage)


def _has_subclass(interp: Interpreter, cls: ClassRef) -> bool:
    return any(_derives(interp, each, cls) for each in _own_classes(interp))


def _own_classes(interp: Interpreter) -> list[ir.Class]:
    return interp.main.code.classes if interp.main.code is not None else []


def _derives(interp: Interpreter, each: ir.Class, cls: ClassRef) -> bool:
    """Whether a class of the linted file derives from another one."""
    return each is not cls.cls and cls in mro(interp, ClassRef(each, interp.main))


def _sets(function: ir.Function, name: str, *, anew: bool = False) -> bool:
    """Whether a method gives an attribute of that name a value other than None; `anew`: one that is not made of what it has held, as a wrapper is."""
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Display(items=targets)], value=ir.Display(items=values)) if len(targets) == len(values):
                given = [target for target, value in zip(targets, values, strict=True) if not _is_none(value)]
            case ir.Assign(targets=targets, value=value):
                wraps = anew and any(path.endswith(f".{name}") for path in ir.paths_in(value))
                given = targets if not (_is_none(value) or wraps) else []
            case ir.AugAssign(target=target) | ir.For(target=target):
                given = [target]
            case _:
                continue
        if any(path.endswith(f".{name}") for target in given for path in ir.paths_in(target)):
            return True
    return False


def _is_none(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is None


def usage_of(interp: Interpreter, cls: ClassRef, name: str) -> ir.Usage:
    found = ir.Usage()
    for each in mro(interp, cls):
        usage = each.cls.usage.get(name)
        if usage:
            found.add(usage)
    return found
