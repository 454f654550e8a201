"""Objects: their attributes, their elements, and their classes' members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from looplint.domain.objects import (
    Container,
    Data,
    Dict,
    Engine,
    FrameworkModule,
    Generator,
    Instance,
    List,
    Loader,
    Loss,
    Module,
    Obj,
    Optimizer,
    Options,
    Scheduler,
    StateDict,
)
from looplint.domain.tags import OfBatch
from looplint.domain.texts import Affixes
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    ClassRef,
    Const,
    Func,
    Iter,
    Method,
    Mode,
    Params,
    Ref,
    Tensor,
    Unknown,
    Value,
    join,
    ref,
)  # fmt: skip
from looplint.interpreter import alternatives, classes, data_fields, generators, hooks
from looplint.interpreter.holders import BESIDE_PARTS, annotation_of, symbolic
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.roles import infer_role
from looplint.knowledge.builtin_members import OF_DICTS
from looplint.knowledge.frameworks import DRIVEN_METHODS
from looplint.knowledge.layers import DROPPING
from looplint.knowledge.lookup import call_effect, method_effect
from looplint.knowledge.pytorch import AVERAGE_METHODS, CONTAINER_METHODS, GRADIENTS, OPTION_METHODS, PLAIN_ATTRIBUTES, TENSOR_ONLY
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst


# The kinds of objects that their callers may give an attribute which their class leaves open: `model.optimizer = Adam(model.parameters())`.
_SET_FROM_OUTSIDE = frozenset({"instance", "module"})
# Methods that keep their meaning in a subclass that overrides them.
_KEPT_MEANING: dict[str, tuple[str, ...]] = {
    "optimizer": ("step", "zero_grad", "state_dict", "load_state_dict", "add_param_group"),
    "scheduler": ("step", "state_dict", "load_state_dict", "get_lr", "get_last_lr"),
    "loss": ("forward",),
    "scaler": ("scale", "step", "update", "unscale_", "state_dict", "load_state_dict"),
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
# Attributes that a wrapper around a module has, or the module by being one.
_OF_MODULES = frozenset({"module", "_orig_mod", "training"})

# Methods of dicts, texts, lists and loggers that neither layers have nor their containers.
_OF_NO_LAYER = frozenset({
    "copy", "get", "setdefault", "popitem", "split", "strip", "lower", "upper", "startswith", "endswith", "join", "format", "replace", "index",
    "count", "sort", "reverse", "remove", "info", "warning", "debug", "error", "exception",
})  # fmt: skip

# Where a path keeps what the last forward of a module on it put out.
LAST_OUTPUT = "()"
# The slot of a module for whichever of its parts a loop over them meets.
ANY_PART = "[any]"


def new_list(interp: Interpreter, node: cst.CSTNode, items: Sequence[Value], *, exact: bool) -> List:
    obj = interp.create(List, node)
    for item in items:
        interp.write(obj, "[]", item)
    obj.last = None
    if not exact:
        obj.items = None
    elif not obj.evaluated or (obj.items is not None and len(obj.items) == len(items)):
        obj.items = tuple(items) if not obj.changed else None
    obj.evaluated = True
    return obj


def attribute(interp: Interpreter, obj: Obj, name: str) -> Value:
    """The value of an attribute: from the heap, the class, the tables, or the way the code uses it."""
    here = interp.constant(obj, name)
    if here is not None:
        return here
    if name == "__class__":
        return frozenset({Method(Ref(obj), name)})
    stored = obj.heap.get(name)
    if (
        stored == NONE
        and obj.symbolic
        and obj.cls is not None
        and obj.kind in _SET_FROM_OUTSIDE
        and _is_left_open(interp, obj, obj.cls, name)
    ):
        value = join(stored, hooks.attribute_unset.run(interp, obj, name))
        obj.heap[name] = join(stored, obj.heap[name])
        return value
    kept_meaning = name in _KEPT_MEANING.get(obj.kind, ()) and method_effect(obj.kind, name) is not None
    kept_meaning = kept_meaning or _moves_average(obj, name)
    if isinstance(obj, Module) and interp.constant(obj, LAST_OUTPUT) is not None and not any(isinstance(a, Ref) for a in stored or ()):
        output = hooks.output_read.run(interp, obj, name)
        if output is not None:
            return output
    if stored is not None and not (kept_meaning and all(isinstance(a, Unknown) for a in stored)):
        return stored  # what takes the place of `optimizer.step` and is not known is a step all the same
    if obj.cls is not None and not kept_meaning:
        overridden = classes.find_member(interp, obj.cls, name)
        if overridden is not None:
            value = classes.bind(interp, overridden, obj)
            return join(value, hooks.attribute_unset.run(interp, obj, name)) if _is_default(obj, name, overridden) else value
        inner = classes.inner_class(interp, obj.cls, name) if overridden is None and name[:1].isupper() else None
        if inner is not None:
            return frozenset({inner})
    own = _own_methods(interp, obj, name)
    if own:
        return own
    if has_as_an_entry(obj, name):
        return item(interp, obj, Const(name, str))
    if isinstance(obj, Container):
        return frozenset({Method(Ref(obj), name)})
    declared = _declared_method(interp, obj, name)
    if declared:
        return declared
    if effect_of(obj, name) is not None:
        return frozenset({Method(Ref(obj), name)})
    if isinstance(obj, Optimizer) and name == "state":
        obj.state_asked = True
    match obj:
        case Optimizer() | Engine() if name in ("param_groups", "fp32_param_groups"):
            return frozenset({Params(frozenset({obj}))})
        case Optimizer() if name in ("optimizer", "_optimizer", "optim"):
            return ref(obj)
        case Engine() if name == "module":
            return ref(obj)
        case Scheduler() if name == "optimizer":
            return obj.optimizer or UNKNOWN
        case Module() | Loss() if name != "__call__":
            cls = obj.cls if name not in _OF_MODULES else None
            if cls is not None and ((not obj.symbolic and classes.lacks(interp, cls, name)) or classes.is_an_output(interp, cls, name)):
                return UNKNOWN
            return _beside_parts(interp, obj, name) or child(interp, obj, name)
        case Options() if name not in OPTION_METHODS:
            return frozenset({Method(Unknown(), name)})
        case StateDict() if name == "data":
            return ref(obj)
        case Loader() if name == "dataset":
            return UNKNOWN
        case Instance() | FrameworkModule() if name != "__dict__":
            return hooks.attribute_unset.run(interp, obj, name)
    return frozenset({Method(Ref(obj), name)})


def has_as_an_entry(obj: Obj, name: str) -> bool:
    """Whether an attribute is an entry of a dict: no method of it, where its entries are its attributes."""
    return isinstance(obj, Dict) and obj.by_attribute and name not in OF_DICTS


def _is_left_open(interp: Interpreter, obj: Obj, cls: ClassRef, name: str) -> bool:
    """Whether an attribute that the text sets to None may hold something else: not while its own constructor runs, from which nothing is out of sight."""
    is_built = any(frame.function.name == "__init__" and frame.is_method_of(obj) for frame in interp.frame.outward())
    return (not is_built or classes.has_unknown_base(interp, cls)) and classes.is_left_open(interp, cls, name)


def _is_default(obj: Obj, name: str, member: tuple[ir.Function | ir.Assign, ClassRef]) -> bool:
    """Whether a class says what a field is by default: an object that is passed in may have been built with something else."""
    what, owner = member
    return obj.symbolic and isinstance(what, ir.Assign) and name in owner.cls.fields


def effect_of(obj: Obj, name: str) -> str | None:
    """The effect of a method that a library gives an object."""
    own = DRIVEN_METHODS.get(name) if isinstance(obj, Module) and obj.driven else None
    if name in CONTAINER_METHODS and isinstance(obj, Module) and obj.cls is None and call_effect(obj.qualname) == "container":
        own = CONTAINER_METHODS[name]
    if _moves_average(obj, name):
        own = AVERAGE_METHODS[name]
    return own or method_effect(obj.kind, name)


def _moves_average(obj: Obj, name: str) -> bool:
    """Whether a method is one that a library's wrapper has around the average of a model's weights, whatever methods the model has."""
    return isinstance(obj, Module) and obj.averaging and name in AVERAGE_METHODS


def _own_methods(interp: Interpreter, obj: Obj, name: str) -> Value:
    """The methods of an object that is one of several: of those that have one, since the code calls it on no others."""
    if name in _KEPT_MEANING.get(obj.kind, ()):
        return frozenset()
    found = [classes.find_member(interp, each.cls, name) for each in alternatives.running(interp, obj) if each.cls is not None]
    return frozenset().union(*(classes.bind(interp, member, obj) for member in found if member is not None))


def _declared_method(interp: Interpreter, obj: Obj, name: str) -> Value:
    """The method of a model that is passed in which the class in its annotation has: what the code calls does the same in a subclass, as a rule."""
    if not isinstance(obj, Module) or obj.declared is None or obj.cls is not None or name in _KEPT_MEANING["module"]:
        return frozenset()
    member = classes.find_member(interp, obj.declared, name)
    if member is None or not isinstance(member[0], ir.Function) or ir.is_abstract(member[0]):
        return frozenset()
    return classes.bind(interp, member, obj)


def _is_left_to_subclasses(interp: Interpreter, obj: Obj, name: str) -> bool:
    """Whether the class in the annotation of a model that is passed in has an abstract method of a name."""
    declared = obj.declared if isinstance(obj, Module) else None
    member = classes.find_member(interp, declared, name) if declared is not None else None
    return member is not None and isinstance(member[0], ir.Function) and ir.is_abstract(member[0])


def child(interp: Interpreter, obj: Obj, name: str) -> Value:
    """A part of a module whose class is not known well enough: a submodule, as far as one can tell."""
    if name in ("module", "_orig_mod"):
        return ref(obj)  # what DistributedDataParallel and torch.compile are put around
    if name == "training":
        return frozenset({Mode(obj)})
    if name in PLAIN_ATTRIBUTES:
        return UNKNOWN
    if name == "p" and isinstance(obj, Module) and obj.qualname.rpartition(".")[2] in DROPPING:
        return (obj.arguments.get(0, "p") if obj.arguments is not None else None) or UNKNOWN  # its rate
    if name.startswith("__") or name in TENSOR_ONLY:
        return frozenset({Method(Ref(obj), name)})
    if obj.cls is not None and _is_no_layer(interp, obj.cls, name):
        return UNKNOWN
    if isinstance(obj, Module) and obj.part and name in _OF_NO_LAYER:
        return UNKNOWN  # a text, a dict or a logger goes by the name
    if name in ("weight", "bias", "data"):
        return frozenset({Params(frozenset({obj}), exact=False, form="tensors" if name == "data" else "one")})
    if name in GRADIENTS and isinstance(obj, Module) and (obj.part or obj.parameter):
        gradient = Params(frozenset({obj}), exact=False, grad=True, form="tensors")  # what has a gradient is a parameter
        hooks.gradient_read.run(interp, gradient)
        return frozenset({gradient})
    obj.heap[name] = ref(_part(interp, obj, name))
    return obj.heap[name]


def method_of_base(interp: Interpreter, obj: Module, name: str) -> Value:
    """A method of a class out of sight from which that of a module derives, as `super()` gives it: the module's own class may have one of the same name."""
    slot = f"super.{name}"
    if slot not in obj.heap:
        obj.heap[slot] = ref(_part(interp, obj, name))
    return obj.heap[slot]


def _part(interp: Interpreter, obj: Obj, name: str) -> Module:
    """What a module has by a name: a part of it, or a method."""
    part = Module((obj.key, name), f"{obj.name}.{name}" if obj.name else name)
    part.parent = obj
    part.symbolic = True
    part.part = True
    part.left_open = _is_left_to_subclasses(interp, obj, name)
    part.frozen = isinstance(obj, Module | Loss) and obj.frozen
    return part


def _beside_parts(interp: Interpreter, obj: Obj, name: str) -> Value:
    """What the text of a module's class steps and clears as an attribute of it, which a base out of sight makes: no part, but what trains the parts."""
    used = ir.Usage()
    for each in classes.mro(interp, obj.cls) if obj.cls is not None else ():
        if name in each.cls.usage:
            used.add(each.cls.usage[name])
    annotation = ir.render(annotation_of(interp, obj.cls, name))
    if not used.methods or infer_role(name, used, annotation) not in BESIDE_PARTS:
        return NOTHING
    obj.heap[name] = symbolic(interp, name, used, annotation, (obj.key, name))
    return obj.heap[name]


def _is_no_layer(interp: Interpreter, cls: ClassRef, name: str) -> bool:
    """Whether the text of a class asks an attribute, which nothing in sight sets, only for what dicts, texts and loggers have, and layers do not."""
    used = [each.cls.usage[name] for each in classes.mro(interp, cls) if name in each.cls.usage]
    methods = frozenset().union(*(usage.methods for usage in used))
    return bool(methods) and methods <= _OF_NO_LAYER and not any(usage.applied or usage.iterated for usage in used)


def any_part(interp: Interpreter, obj: Obj) -> Value:
    """Any part of a module, of which it is not known which."""
    part = obj.heap.get(ANY_PART) or child(interp, obj, ANY_PART)
    for atom in part:
        if isinstance(atom, Ref):
            atom.obj.many = True
    return part


def exact_entries(interp: Interpreter, obj: Dict) -> list[tuple[str, Value]] | None:
    """The entries of a dict that is fully known, in order."""
    if not obj.exact or obj.changed or is_rewritten(interp, obj):
        return None
    return [(slot[1:], value) for slot, value in obj.heap.items() if slot.startswith("=")]


def is_rewritten(interp: Interpreter, obj: Obj) -> bool:
    """Whether a loop has replaced all entries of a container on this path."""
    return interp.constant(obj, "[]") is not None


def entries(interp: Interpreter, obj: Obj) -> Value:
    """What an entry of a container holds, whichever it is: what a loop has put into all of them on this path, or all that was ever put there."""
    here = interp.constant(obj, "[]")
    return here if here is not None else obj.heap.get("[]", UNKNOWN)


def element(interp: Interpreter, obj: Obj) -> Value:
    match obj:
        case List():
            return entries(interp, obj)
        case Data():
            return frozenset({Tensor(tags=frozenset({OfBatch(obj)}))})
        case Module():
            return child(interp, obj, "[]") if "[]" not in obj.heap else obj.heap["[]"]
        case Generator():
            return generators.run(interp, obj)
        case Instance() if obj.cls is not None:
            return _items_of_instance(interp, obj, obj.cls)
        case Instance() if obj.symbolic:
            return obj.heap.get("[*]", UNKNOWN)
    return UNKNOWN


def _items_of_instance(interp: Interpreter, obj: Obj, cls: ClassRef) -> Value:
    """What iterating over an object of the program gives: what its iterator gives, or its own `__next__` returns."""
    if obj in interp.iterating:
        return UNKNOWN  # an iterator over itself
    interp.iterating.append(obj)
    try:
        iterate = classes.find_member(interp, cls, "__iter__")
        if iterate is None:
            return _next_of_instance(interp, obj, cls)
        found: Value = NOTHING
        for atom in call_values(interp, classes.bind(interp, iterate, obj)):
            match atom:
                case Iter():
                    found = join(found, atom.element)
                case Tensor():
                    found = join(found, frozenset({atom}))
                case Ref():
                    found = join(found, element(interp, atom.obj) if atom.obj is not obj else _next_of_instance(interp, obj, cls))
        return found or UNKNOWN
    finally:
        interp.iterating.pop()


def _next_of_instance(interp: Interpreter, obj: Obj, cls: ClassRef) -> Value:
    step = classes.find_member(interp, cls, "__next__")
    if step is None:
        return frozenset().union(*(data_fields.items_of(interp, obj) or [UNKNOWN]))
    return call_values(interp, classes.bind(interp, step, obj))


def item(interp: Interpreter, obj: Obj, key: Const | None) -> Value:
    """`obj[key]`."""
    match obj:
        case Dict():
            if is_rewritten(interp, obj):
                return entries(interp, obj)
            if key is not None and isinstance(key.value, str):
                stored = obj.heap.get(f"={key.value}")
                if stored is not None:
                    return stored
            if obj.exact and not obj.changed and key is not None:
                return UNKNOWN
            return entries(interp, obj)
        case List(items=items):
            if (
                items is not None
                and not is_rewritten(interp, obj)
                and key is not None
                and isinstance(key.value, int)
                and -len(items) <= key.value < len(items)
            ):
                return items[key.value]
            return obj.last if _is_last(obj, key) and obj.last is not None else entries(interp, obj)
        case Module():
            slot = slot_of(obj, key)
            stored = obj.heap.get(slot, obj.last if _is_last(obj, key) else part_under(interp, obj, key))
            if stored is None and not obj.symbolic and key is not None and (isinstance(key.value, int) or _holds_parameters(obj)):
                stored = obj.heap.get("[]")  # one of those that a loop has appended
            return stored if stored is not None else child(interp, obj, slot)
        case Instance() if obj.cls is not None:
            fields = data_fields.items_of(interp, obj)
            if fields is not None:
                number = key.value if key is not None and isinstance(key.value, int) and -len(fields) <= key.value < len(fields) else None
                return fields[number] if number is not None else frozenset().union(*fields)
        case Instance() if obj.symbolic:
            return entry_out_of_sight(obj, key)
        case Data():
            return frozenset({Tensor(tags=frozenset({OfBatch(obj)}))})
    return UNKNOWN


def item_that_fits(interp: Interpreter, obj: Obj, key: Affixes) -> Value:
    """`obj[key]`, with a key of which is known how it begins and ends: one of the entries under such keys, where all keys are known."""
    if isinstance(obj, Dict) and obj.exact and not obj.changed and not is_rewritten(interp, obj):
        found = [value for slot, value in obj.heap.items() if slot.startswith("=") and key.fit(slot[1:])]
        return frozenset().union(*found) or UNKNOWN
    return item(interp, obj, None)


def _is_last(obj: List | Module, key: Const | None) -> bool:
    """Whether a key is -1, of a container whose number of items is not known."""
    return key is not None and key.value == -1 and (obj.length is None if isinstance(obj, Module) else obj.items is None)


def entry_out_of_sight(obj: Obj, key: Const | None) -> Value:
    """An entry of a container that comes from out of sight, as far as the use of its entries tells what they are."""
    stored = obj.heap.get(f"={key.value}") if key is not None and isinstance(key.value, str | int) else None
    if stored is None:
        stored = obj.heap.get("[]")
    if stored is None and key is None:
        stored = frozenset().union(*(value for slot, value in obj.heap.items() if slot.startswith("=")))
    return stored or UNKNOWN


def part_under(interp: Interpreter, obj: Module, key: Const | None) -> Value | None:
    """The part that a container was built with under a key, which is an attribute of it as well: `nn.ModuleDict({"head": head})["head"]`."""
    if key is None or not isinstance(key.value, str) or (obj.cls is not None and classes.find_member(interp, obj.cls, "__getitem__")):
        return None
    stored = obj.heap.get(key.value, NOTHING)
    return (
        stored
        if stored and (_is_parameter(stored) or all(isinstance(a, Ref) and isinstance(a.obj, Module | Loss) for a in stored))
        else None
    )


def _holds_parameters(obj: Module) -> bool:
    """Whether the entries of a container are parameters, which are no modules that a key could stand for: `nn.ParameterDict`."""
    return obj.cls is None and _is_parameter(obj.heap.get("[]", NOTHING))


def _is_parameter(value: Value) -> bool:
    """Whether a value is parameters that the program makes: each is a tensor as well."""
    held = frozenset(a.obj for a in value if isinstance(a, Ref))
    return bool(held) and all(isinstance(obj, Module) and obj.parameter for obj in held) and any(isinstance(a, Tensor) for a in value)


def slot_of(obj: Module, key: Const | None) -> str:
    """The slot of a part of a container of modules; of the last ones, from the front."""
    if key is None:
        return "[]"
    count = obj.length
    return f"[{key.value + count if count and isinstance(key.value, int) and key.value < 0 else str(key.value)}]"


def own_item(interp: Interpreter, obj: Obj, index: Value, expr: ir.Subscript) -> Value | None:
    """What an object's own `__getitem__` gives for `obj[index]`; None where it has none, or where nothing is known of what that of a model gives."""
    getter = classes.find_member(interp, obj.cls, "__getitem__") if isinstance(obj, Instance | Module) and obj.cls is not None else None
    if getter is None:
        return None
    got = call_values(interp, classes.bind(interp, getter, obj), [index], expr)
    return None if isinstance(obj, Module) and got == UNKNOWN else got


def call_values(interp: Interpreter, callee: Value, positional: Sequence[Value] = (), expr: ir.Expr | None = None) -> Value:
    """A call that stands nowhere in the text (`__iter__`, `__getitem__`, `__enter__`), but in what it is made for."""
    result: Value = NOTHING
    for atom in callee:
        if isinstance(atom, Func):
            function = atom.function
            place = ir.Name(function.node if expr is None else expr.node, function.name)
            result = join(result, interp.call_function(atom, Arguments(list(positional)), place))
    return result or UNKNOWN


def set_attribute(interp: Interpreter, obj: Obj, target: ir.Attr, value: Value) -> None:
    """`target = value` gives an object an attribute; what has no name yet is called by it."""
    if has_as_an_entry(obj, target.attr):
        interp.write(obj, f"={target.attr}", value)
        interp.write(obj, "[]", value)
    else:
        interp.write(obj, target.attr, value)
    for inner in value:
        if isinstance(inner, Ref) and not inner.obj.name:
            inner.obj.name = f"{ir.render(target.value)}.{target.attr}"


def give_attribute(interp: Interpreter, qualname: str, name: str, value: Value) -> None:
    """What comes from a module that cannot be read gets an attribute: settings to which the program adds its own objects."""
    obj = interp.known(Instance, ("unseen", qualname), qualname.rpartition(".")[2])
    obj.symbolic = True
    interp.write(obj, name, value)


def given_attribute(interp: Interpreter, qualname: str, name: str) -> Value | None:
    """The attribute that the program has given it."""
    obj = interp.heap.objects.get(("unseen", qualname))
    return obj.heap.get(name) if obj is not None else None
