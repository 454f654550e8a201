"""Objects: their attributes, their elements, and their classes' members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from looplint.domain.values import (
    COMPUTED,
    UNKNOWN,
    ClassRef,
    Const,
    External,
    Func,
    Iter,
    Method,
    Obj,
    Params,
    Ref,
    Tensor,
    Unknown,
    Value,
    ref,
)  # fmt: skip
from looplint.interpreter import calls
from looplint.interpreter.machine import Machine
from looplint.interpreter.roles import infer_role
from looplint.knowledge.frameworks import FRAMEWORK_BASES, MANUAL_METHODS
from looplint.knowledge.lookup import call_effect, method_effect
from looplint.knowledge.pytorch import TENSOR_ONLY
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

_MODULE_BASES = frozenset(
    {"torch.nn.Module", "torch.nn.modules.module.Module", "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"}
)
_WITHOUT_METHODS = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_HARMLESS = _WITHOUT_METHODS | {"torch.nn.Module", "typing.NamedTuple"}
# Methods that keep their meaning in a subclass that overrides them.
_KEPT_MEANING: dict[str, tuple[str, ...]] = {
    "optimizer": ("step", "zero_grad", "state_dict", "load_state_dict", "add_param_group"),
    "scheduler": ("step", "state_dict", "load_state_dict", "get_lr", "get_last_lr"),
    "loss": ("forward",),
    "module": (
        "forward",
        "train",
        "eval",
        "parameters",
        "named_parameters",
        "zero_grad",
        "to",
        "cuda",
        "cpu",
        "half",
        "float",
        "double",
        "modules",
        "children",
    ),
}
_PLAIN_ATTRIBUTES = frozenset(
    {"training", "device", "dtype", "name", "config", "in_features", "out_features", "in_channels", "out_channels", "num_classes"}
)


def new_list(m: Machine, node: cst.CSTNode, items: Sequence[Value], *, exact: bool) -> Obj:
    obj = m.create("list", node)
    for item in items:
        m.write(obj, "[]", item)
    if exact:
        obj.info.setdefault("items", tuple(items))
        if obj.info["items"] is not None and len(obj.info["items"]) == len(items):
            obj.info["items"] = tuple(items) if not obj.info.get("changed") else None
    else:
        obj.info["items"] = None
    return obj


def attribute(m: Machine, obj: Obj, name: str) -> Value:
    """The value of an attribute: from the heap, the class, the tables, or the way the code uses it."""
    stored = obj.heap.get(name)
    if stored is not None:
        return stored
    if obj.cls is not None and not (name in _KEPT_MEANING.get(obj.kind, ()) and method_effect(obj.kind, name)):
        overridden = find_member(m, obj.cls, name)
        if overridden is not None:
            return bind(m, overridden, obj)
    own = _own_methods(m, obj, name)
    if own:
        return own
    if obj.kind == "list" or obj.kind == "dict":
        return frozenset({Method(Ref(obj), name)})
    if effect_of(obj, name) is not None:
        return frozenset({Method(Ref(obj), name)})
    match obj.kind:
        case "optimizer" | "engine" if name in ("param_groups", "fp32_param_groups"):
            return frozenset({Params(frozenset({obj}))})
        case "optimizer" if name in ("optimizer", "_optimizer", "optim"):
            return ref(obj)
        case "engine" if name == "module":
            return ref(obj)
        case "scheduler" if name == "optimizer":
            holder = obj.info.get("optimizer")
            return holder if holder else UNKNOWN
        case "module" | "loss":
            return _child(m, obj, name)
        case "loader" if name == "dataset":
            return UNKNOWN
        case "instance" | "framework":
            return _unset_attribute(m, obj, name)
    return frozenset({Method(Ref(obj), name)})


def effect_of(obj: Obj, name: str) -> str | None:
    """The effect of a method that a library gives an object."""
    own = MANUAL_METHODS.get(name) if obj.info.get("manual") else None
    return own or method_effect(obj.kind, name)


def _own_methods(m: Machine, obj: Obj, name: str) -> Value:
    """The methods of an object that is one of several: of those that have one, since the code asks the others for none."""
    if name == "forward":
        return frozenset()
    found = [find_member(m, each.cls, name) for each in obj.info.get("one of", ()) if each.cls is not None]
    return frozenset().union(*(bind(m, member, obj) for member in found if member is not None))


def _child(m: Machine, obj: Obj, name: str) -> Value:
    """A part of a module whose class is not known well enough: a submodule, as far as one can tell."""
    if name == "module":
        return ref(obj)
    if name in _PLAIN_ATTRIBUTES:
        return UNKNOWN
    if name.startswith("__") or name in TENSOR_ONLY:
        return frozenset({Method(Ref(obj), name)})
    if name in ("weight", "bias", "data"):
        return frozenset({Params(frozenset({obj}), exact=False)})
    child = Obj("module", (obj.key, name), f"{obj.name}.{name}" if obj.name else name)
    child.parent = obj
    child.symbolic = True
    child.info["part"] = True
    obj.heap[name] = ref(child)
    return obj.heap[name]


def _unset_attribute(m: Machine, obj: Obj, name: str) -> Value:
    cls = obj.cls
    if cls is None:
        return UNKNOWN
    usage = usage_of(m, cls, name)
    value = symbolic(m, name, usage, "", key=(obj.key, name))
    if any(isinstance(a, Ref) for a in value):
        obj.heap[name] = value
        return value
    if has_unknown_base(m, cls):
        return frozenset({Method(Ref(obj), name)})
    return value


def usage_of(m: Machine, cls: ClassRef, name: str) -> ir.Usage:
    found = ir.Usage()
    for each in mro(m, cls):
        usage = each.cls.usage.get(name)
        if usage:
            found.methods |= usage.methods
            found.attrs |= usage.attrs
            found.called = found.called or usage.called
            found.iterated = found.iterated or usage.iterated
            found.computed = found.computed or usage.computed
            found.passed |= usage.passed
    return found


def symbolic(m: Machine, name: str, usage: ir.Usage, annotation: str, key: object) -> Value:
    """An object from outside the analysed code, by its role; unknown where no role can be inferred."""
    role = infer_role(name, usage, annotation)
    if role is None:
        return UNKNOWN
    if role == "tensor":
        return frozenset({Tensor(graph="maybe", made=COMPUTED)})
    obj = m.facts.created.get(("symbol", key))
    if obj is None:
        obj = Obj(role, ("symbol", key), name)
        obj.symbolic = True
        obj.source = m.frame.module
        obj.node = m.frame.function.node
        m.facts.created[("symbol", key)] = obj
    return ref(obj)


# -- classes


def mro(m: Machine, cls: ClassRef, depth: int = 0) -> list[ClassRef]:
    """The class and its project bases, nearest first."""
    known = m.lines.get(cls)
    if known is not None:
        return known
    found = [cls]
    if depth < 8:
        for atom in base_values(m, cls):
            if isinstance(atom, ClassRef) and atom.cls is not cls.cls:
                found.extend(c for c in mro(m, atom, depth + 1) if c not in found)
    if cls.module.frame is not None:
        m.lines[cls] = found
    return found


def line(m: Machine, cls: ClassRef, depth: int = 0) -> list[ClassRef | External]:
    """The class and its bases, those of libraries too, in the order in which they are asked for a method."""
    found: list[ClassRef | External] = [cls]
    for base in base_values(m, cls) if depth < 8 else ():
        further = line(m, base, depth + 1) if isinstance(base, ClassRef) and base.cls is not cls.cls else []
        if isinstance(base, External) and base.qualname not in _WITHOUT_METHODS:
            further = [base]
        found = [*(c for c in found if c not in further), *further]  # a base of two classes stands after both
    return found


def base_values(m: Machine, cls: ClassRef) -> list[ClassRef | External | Unknown]:
    found: list[ClassRef | External | Unknown] = []
    for base in cls.cls.bases:
        value = calls.static_value(m, base, cls.module)
        for atom in sorted(value, key=calls.stable) if len(value) > 1 else value:
            found.append(atom if isinstance(atom, ClassRef | External) else Unknown())
    return found


def _bases_outside(m: Machine, cls: ClassRef) -> list[External | Unknown]:
    """The bases that are no classes of the project, of the class itself and of those that it derives from."""
    return [a for c in mro(m, cls) for a in base_values(m, c) if not isinstance(a, ClassRef)]


def external_bases(m: Machine, cls: ClassRef) -> list[str]:
    return [a.qualname for a in _bases_outside(m, cls) if isinstance(a, External)]


def has_unknown_base(m: Machine, cls: ClassRef) -> bool:
    """Whether a class may have members that stand neither in the project nor in a class that is known to add none of its own."""
    return any(isinstance(a, Unknown) or a.qualname not in _HARMLESS for a in _bases_outside(m, cls))


def has_untold_base(m: Machine, cls: ClassRef) -> bool:
    """Whether a class derives from one that neither the project nor the tables tell anything of."""
    return any(isinstance(a, Unknown) or not _is_told(a.qualname) for a in _bases_outside(m, cls))


def _is_told(qualname: str) -> bool:
    return qualname in _HARMLESS or qualname.startswith("torch.") or call_effect(qualname) is not None


def kind_of_class(m: Machine, cls: ClassRef) -> str:
    """What an instance of a project class is to a training loop."""
    bases = external_bases(m, cls)
    lowered = cls.cls.name.lower()
    for base in bases:
        if base in FRAMEWORK_BASES:
            return "framework"
        if base in _MODULE_BASES:
            return "loss" if "loss" in lowered or "criterion" in lowered else "module"
        effect = call_effect(base)
        match effect:
            case "module" | "container" | "module-function":
                return "module"
            case "class-of-transformers":
                return "module" if base.endswith(("Model", "PreTrainedModel")) or "For" in base else "instance"
            case "optimizer" | "scheduler" | "loader" | "loss" | "dataset":
                return effect
    return _kind_by_methods(m, cls) if has_untold_base(m, cls) else "instance"


def _kind_by_methods(m: Machine, cls: ClassRef) -> str:
    """What a class is by the methods that it has for a base class to call."""
    if find_member(m, cls, "forward") is None:
        return "instance"
    return "framework" if find_member(m, cls, "training_step") is not None else "module"


def find_member(m: Machine, cls: ClassRef, name: str) -> tuple[ir.Function | ir.Assign, ClassRef] | None:
    """A method or class attribute, with the class that defines it."""
    for each in mro(m, cls):
        method = each.cls.methods.get(name)
        if method is not None:
            return method, each
        for stmt in each.cls.body:
            if isinstance(stmt, ir.Assign) and any(isinstance(t, ir.Name) and t.id == name for t in stmt.targets):
                return stmt, each
    return None


def bind(m: Machine, member: tuple[ir.Function | ir.Assign, ClassRef], obj: Obj) -> Value:
    what, owner = member
    if isinstance(what, ir.Assign):
        return calls.static_value(m, what.value, owner.module)
    assert isinstance(what, ir.Function)
    decorators = {d.id if isinstance(d, ir.Name) else d.attr if isinstance(d, ir.Attr) else "" for d in what.decorators}
    if "staticmethod" in decorators:
        return frozenset({Func(what, owner.module, owner.closure, None, owner)})
    func = Func(what, owner.module, owner.closure, ref(obj), owner)
    if decorators & {"property", "cached_property"}:
        from looplint.domain.values import Arguments

        return calls.call_function(m, func, Arguments(), ir.Name(what.node, what.name))
    return frozenset({func})


# -- elements


def element(m: Machine, obj: Obj) -> Value:
    match obj.kind:
        case "list" | "dict":
            if obj.kind == "dict":
                return UNKNOWN
            return obj.heap.get("[]", UNKNOWN)
        case "loader" | "dataset":
            return frozenset({Tensor(tags=frozenset({("batch", obj)}))})
        case "module":
            return _child(m, obj, "[]") if "[]" not in obj.heap else obj.heap["[]"]
        case "instance" if obj.cls is not None:
            iterate = find_member(m, obj.cls, "__iter__")
            if iterate is not None:
                result = calls.call_values(m, bind(m, iterate, obj))
                return frozenset().union(*(a.element for a in result if isinstance(a, Iter))) or UNKNOWN
    return UNKNOWN


def item(m: Machine, obj: Obj, key: Const | None) -> Value:
    """`obj[key]`."""
    match obj.kind:
        case "dict":
            if key is not None and isinstance(key.value, str):
                stored = obj.heap.get(f"={key.value}")
                if stored is not None:
                    return stored
            if obj.info.get("exact") and not obj.info.get("changed") and key is not None:
                return UNKNOWN
            return obj.heap.get("[]", UNKNOWN)
        case "list":
            items = obj.info.get("items")
            if items is not None and key is not None and isinstance(key.value, int) and -len(items) <= key.value < len(items):
                item: Value = items[key.value]
                return item
            return obj.heap.get("[]", UNKNOWN)
        case "module":
            slot = slot_of(obj, key)
            stored = obj.heap.get(slot)
            return stored if stored is not None else _child(m, obj, slot)
        case "instance" if obj.cls is not None:
            getter = find_member(m, obj.cls, "__getitem__")
            if getter is not None:
                return calls.call_values(m, bind(m, getter, obj), [frozenset({key}) if key else UNKNOWN])
        case "loader" | "dataset":
            return frozenset({Tensor(tags=frozenset({("batch", obj)}))})
    return UNKNOWN


def slot_of(obj: Obj, key: Const | None) -> str:
    """The slot of a part of a container of modules; of the last ones, from the front."""
    if key is None:
        return "[]"
    count = obj.info.get("parts")
    return f"[{key.value + count if count and isinstance(key.value, int) and key.value < 0 else key.value}]"
