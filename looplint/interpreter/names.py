"""What a name stands for, and an attribute of a value."""

from __future__ import annotations

import builtins

from looplint.dataclass import replace
from looplint.domain.objects import Dict, Instance, List, Module, Obj
from looplint.domain.tensors import attribute_of_tensor
from looplint.domain.values import (
    NOTHING,
    NUMBERS,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Const,
    Context,
    External,
    Func,
    Iter,
    Method,
    ModuleRef,
    Number,
    Params,
    Ref,
    Super,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    join,
    ref,
)
from looplint.interpreter import classes, hooks, imports, inherited, objects
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.usage import is_bound
from looplint.knowledge.builtin_members import OF_DICTS, OF_LISTS
from looplint.knowledge.lookup import call_effect, method_effect
from looplint.knowledge.naming import is_the_loss
from looplint.knowledge.pytorch import CALLS, CONVENTIONAL_NAMES, GRADIENTS, TENSOR_ATTRIBUTES
from looplint.knowledge.tensor_members import TENSOR_VERBS
from looplint.syntax import ir

# What parameters tell of themselves, and is none of them.
_TOLD_BY_PARAMETERS = TENSOR_ATTRIBUTES - GRADIENTS - {"data"}
# Effects of classes whose methods are those of their objects.
_MAKING_OBJECTS = frozenset({"optimizer", "scheduler", "scaler", "module", "loss"})
_BUILTINS = frozenset(dir(builtins))
# What only an interactive start adds to the built-in names.
_OF_SITE = frozenset({"exit", "quit", "copyright", "credits", "license", "get_ipython", "reveal_type"})


def lookup(interp: Interpreter, frame: Frame, name: str) -> Value:
    """A name's value: local, enclosing, global, star-imported, built in, what everybody calls so, else unknown."""
    here: Frame | None = frame
    while here is not None:
        value = here.locals.get(name)
        if value is not None:
            return _followed(interp, here, name, value)
        here = here.closure
    top = frame.module.frame
    if top is not None:
        value = top.locals.get(name)
        if value is not None:
            return _followed(interp, top, name, value)
        found = imports.from_stars(interp, frame.module, name)
        if found is not None:
            return found
    if name in _BUILTINS:
        return frozenset({External(f"builtins.{name}")})
    if name in CONVENTIONAL_NAMES:
        return frozenset({External(CONVENTIONAL_NAMES[name])})
    return hooks.name_unbound.run(interp, frame, name)


def binds_nowhere(interp: Interpreter, frame: Frame, name: str) -> bool:
    """Whether a name is one that nothing binds, for certain: who reads it gets an error."""
    scope: Frame | None = frame
    while scope is not None:
        if name in scope.locals or is_bound(interp, scope.module, scope.function, name):
            return False
        scope = scope.closure
    if name.startswith("_") or name in _BUILTINS or name in CONVENTIONAL_NAMES or name in _OF_SITE:
        return False
    return imports.from_stars(interp, frame.module, name) is None and imports.binds_all(interp, frame.module)


def _followed(interp: Interpreter, frame: Frame, name: str, value: Value) -> Value:
    """What a name holds: where that was imported, what stands there."""
    for atom in value:
        if type(atom) is External:
            return hooks.name_imported.run(interp, frame, name, imports.resolve(interp, value))
    return value


def attribute(interp: Interpreter, base: Value, name: str, *, called: bool = False) -> Value:
    """The attribute of everything the base can be; `called` when it stands before parentheses."""
    result: Value = NOTHING
    able = [atom for atom in base if not _lacks(atom, name)] if called and len(base) > 1 else []
    for atom in able or base:
        match atom:
            case Tensor() | Params() if called or (isinstance(atom, Tensor) and atom.made and name in TENSOR_VERBS):
                value: Value = frozenset({Method(atom, name)})
            case External():
                value = objects.given_attribute(interp, atom.qualname, name) or frozenset({External(f"{atom.qualname}.{name}")})
            case ModuleRef():
                value = frozenset({Method(atom, name)}) if name == "__dict__" else imports.member(interp, atom, name) or UNKNOWN
            case Ref():
                value = objects.attribute(interp, atom.obj, name)
                if not called:
                    value = inherited.attribute(atom.obj, name, value)
            case Tensor():
                if name in GRADIENTS:
                    hooks.gradient_read.run(interp, atom)
                if is_the_loss(name):
                    interp.uses.scored |= atom.origins
                value = attribute_of_tensor(atom, name)
            case Params() if name in _TOLD_BY_PARAMETERS:
                value = attribute_of_tensor(Tensor(), name)
            case Params():
                if name in GRADIENTS or atom.grad:
                    hooks.gradient_read.run(interp, atom)
                value = frozenset({replace(atom, grad=atom.grad or name in GRADIENTS, form="tensors")})
            case Super():
                value = _super_member(interp, atom, name, called=called)
            case Const() if atom.value is None:
                continue
            case Unknown() | Method() if name == "shape" and not called:
                value = NUMBERS
            case Unknown() if name in GRADIENTS:
                hooks.gradient_read.run(interp, atom)
                value = frozenset({atom})
            case _:
                value = _plain_attribute(interp, atom, name)
        result = join(result, value)
    return result or UNKNOWN


def _lacks(atom: Atom, name: str) -> bool:
    """Whether a number, a text, a dict or a list has no method of a name: where it is what stands before the dot, the call fails.

    So does a method of objects that is called of their class: an attribute may hold that first, `self.optimizer = Adam`, and then what it makes.
    """
    match atom:
        case External(qualname):
            return (kind := call_effect(qualname)) in _MAKING_OBJECTS and method_effect(kind, name) is not None
        case Const(value):
            return not hasattr(value, name)
        case Number():
            return not hasattr(0.0, name)
        case Ref(Dict() as obj):
            return name not in OF_DICTS and not {name, f"={name}"} & obj.heap.keys()
        case Ref(List()):
            return name not in OF_LISTS
    return False


def _super_member(interp: Interpreter, atom: Super, name: str, *, called: bool) -> Value:
    for obj in (a.obj for a in atom.instance if isinstance(a, Ref)):
        line = classes.line(interp, obj.cls) if obj.cls else []
        after = line[line.index(atom.owner) + 1 :] if atom.owner in line else []
        for cls in after:
            if isinstance(cls, External):
                if name == "__init__" or objects.effect_of(obj, name) is not None:
                    break  # a library's class stands before: the method is its own
                continue
            method = cls.cls.methods.get(name)
            if method is not None:
                return frozenset({Func(method, cls.module, cls.closure, ref(obj), cls)})
        member: Value = frozenset({Method(Ref(obj), f"super.{name}")})
        return member if called else inherited.attribute(obj, f"super.{name}", member)
    return UNKNOWN


def _class_name(obj: Obj) -> str:
    """The name of an object's class, where it is known; what a library calls in lower case is a function that builds it."""
    if obj.cls is not None:
        cls = classes.class_of(obj)
        return cls.cls.name if cls is not None else ""
    leaf = obj.qualname.rpartition(".")[2]
    return leaf if leaf[:1].isupper() and not obj.one_of else ""


def _is_inherited(interp: Interpreter, cls: ClassRef, qualname: str) -> bool:
    """Whether the tables know what a class has from a library's, by its name there, or as what no model has: `Sampler.from_pretrained(unet=unet)`."""
    return qualname in CALLS or (call_effect(qualname) is not None and classes.kind_of_class(interp, cls) is Instance)


def _plain_attribute(interp: Interpreter, atom: Atom, name: str) -> Value:
    """An attribute of a value that is no object of the heap."""
    match atom:
        case ClassRef():
            found = classes.find_member(interp, atom, name)
            if found is None and (inner := classes.inner_class(interp, atom, name)) is not None:
                return frozenset({inner})
            if found is None and name == "from_pretrained" and issubclass(classes.kind_of_class(interp, atom), Module):
                return frozenset({Method(atom, name)})
            if found is None:
                outside = next((c for c in classes.line(interp, atom) if isinstance(c, External)), None)
                # `Base.__init__(self)`, where no class of the project has one, and `Scale.apply(x)` of a torch.autograd.Function: the library's.
                is_of_library = outside is not None and (name == "__init__" or _is_inherited(interp, atom, f"{outside.qualname}.{name}"))
                return frozenset({External(f"{outside.qualname}.{name}")}) if outside is not None and is_of_library else UNKNOWN
            what, owner = found
            if isinstance(what, ir.Assign):
                return classes.static_value(interp, what.value, owner.module)
            if isinstance(what, ir.Function):
                func = Func(what, owner.module, owner.closure, frozenset({atom}) if ir.is_of_class(what) else None, owner)
                if func.bound is not None and ir.is_property(what):
                    return interp.call_function(func, Arguments(), ir.Name(what.node, name))
                return frozenset({func})
        case Const(str() as text) if name == "type":
            return const(text.partition(":")[0])  # texts have no such attribute: it stands for the device that it names
        case Method(obj=Ref(obj), name="__class__") if name == "__name__":
            known = _class_name(obj)
            return const(known) if known else UNKNOWN
        case Iter() | Const() | Method() | Context():
            return frozenset({Method(atom, name)})
        case Unknown():
            return frozenset({Method(atom, name)})
        case Tuple(items, names) if name in names:
            return items[names.index(name)]
        case Tuple(names=names) if names and name.startswith("_"):
            return frozenset({Method(atom, name)})
        case Tuple() if name in ("values", "indices") and len(atom.items) == 2:
            return atom.items[name == "indices"]
    return UNKNOWN
