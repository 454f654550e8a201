"""What belongs to a module: what is registered with it, what it merely keeps, and whether it is ready to take parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.dataclass import replace
from looplint.domain.membership import adopt, parameters_in, ready, register
from looplint.domain.objects import Container, Loss, Module, Obj, Optimizer, TorchModule
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    Const,
    External,
    Params,
    Ref,
    Tensor,
    Tuple,
    Value,
    constant_of,
    join,
    ref,
    refs,
)
from looplint.flow.events import Replace
from looplint.flow.remarks import Shelve, Unready
from looplint.interpreter import classes, hooks, objects
from looplint.interpreter.elements import element_of, last_of, note_last
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import method_transfer
from looplint.knowledge.frameworks import FRAMEWORK_BASES
from looplint.knowledge.lookup import call_effect
from looplint.knowledge.pytorch import BARE_MODULES, GRADIENTS
from looplint.semantics.borrowed_forwards import note_borrowed
from looplint.semantics.dropouts import note_rate
from looplint.semantics.parameters import is_frozen
from looplint.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Sequence

    import libcst as cst

from looplint.domain.values import ClassRef

_MODULE_EFFECTS = frozenset({"module", "container", "module-function", "loss", "class-of-transformers"})
_BARE_BASES = BARE_MODULES | {b for b in FRAMEWORK_BASES if b.endswith("LightningModule")}
_NEUTRAL_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"}) | _BARE_BASES

# The methods that containers share with lists.
_OF_LISTS = frozenset({"append", "extend", "insert"})


@hooks.extended
def extend(interp: Interpreter, modules: list[Module], value: Value) -> None:
    """`self.layers += [...]`: a ModuleList takes more parts."""
    modules = [obj for obj in modules if not _is_single_layer(obj)]
    if modules:
        register(value, deep=True)
    for obj in modules:
        obj.length = None
        note_last(interp, obj, last_of(value))
        adopt(obj, value)
        interp.write(obj, "[]", element_of(interp, value))


@hooks.constructing
def begin(interp: Interpreter, obj: Obj, cls: ClassRef) -> None:
    """A module's own constructor is about to run: it takes no part before that of torch has run."""
    if isinstance(obj, TorchModule) and obj.ready is None and _bases_are_known(interp, cls) and not classes.is_mixed_in(interp, cls):
        obj.ready = False


@hooks.part_assigned
def _part_assigned(interp: Interpreter, obj: Obj, target: ir.Attr, value: Value) -> None:
    if target.attr == "__dict__":
        ready(ref(obj))  # it takes over what another one has, that of torch's constructor too
        return
    _note_assigned(interp, obj, target, value)
    if target.attr == "p":
        note_rate(interp, obj, value)
    if target.attr == "forward":
        note_borrowed(interp, obj, value)
    if isinstance(obj, Module):
        if target.attr == "forward" and not set(interp.guards) <= {g for o in (obj, *obj.one_of) for g in o.made_under}:
            value = join(value, UNKNOWN)  # where the condition does not hold, it is that of the class
        _set_on_module(interp, obj, target, value)
        obj.frozen = obj.frozen or (target.attr == "weight" and _is_fixed(value) and _has_no_bias(obj))
    else:
        if isinstance(obj, Loss):
            adopt(obj, value)  # `ModelWithLoss(model)` is the model that is trained, whatever it is called
        objects.set_attribute(interp, obj, target, value)


def _is_fixed(value: Value) -> bool:
    """Whether a value is a parameter that takes no gradients: `nn.Parameter(kernel, requires_grad=False)`."""
    parameters = refs(value, Module)
    return bool(parameters) and all(p.parameter and p.frozen for p in parameters)


def _has_no_bias(layer: Module) -> bool:
    """Whether a layer of torch is built with its weight alone."""
    given = layer.arguments.keywords.get("bias") if layer.arguments is not None and layer.qualname.startswith("torch.nn.") else None
    known = constant_of(given) if given is not None else None
    return known is not None and known.value is False


def _note_assigned(interp: Interpreter, obj: Obj, target: ir.Attr, value: Value) -> None:
    """`self.part = ...` in one of the module's own methods."""
    register(value)
    if not interp.frame.is_method_of(obj):
        return
    note_part(interp, obj, target.node, f"{ir.render(target.value)}.{target.attr}", value)
    if any(isinstance(a, Tuple) or (isinstance(a, Ref) and isinstance(a.obj, Container)) for a in value):
        shelve = Shelve(
            value=value,
            name=f"{ir.render(target.value)}.{target.attr}",
            constructor=_constructor(interp, obj),
            used=_is_used(interp, obj, target.attr) and not _is_deleted(interp, obj, target.attr),
            given=_is_given(interp, obj, target.attr),
        )
        interp.remark(shelve, target.node, {obj}, certain=all(isinstance(a, Tuple | Ref) and not _is_module(a) for a in value))


def _is_module(atom: Atom) -> bool:
    return isinstance(atom, Ref) and isinstance(atom.obj, Module | Loss)


def note_part(interp: Interpreter, obj: Obj, node: cst.CSTNode, name: str, value: Value) -> None:
    """A part is given to a module; remarked where the module cannot take it yet."""
    known = [a for a in value if not isinstance(a, Tensor)]
    parts = [a.obj for a in known if isinstance(a, Ref) and isinstance(a.obj, Module | Loss) and not a.obj.symbolic]
    if parts and isinstance(obj, TorchModule) and obj.ready is False and interp.frame.function.name == "__init__":
        unready = Unready(
            part=name,
            what="parameters" if all(isinstance(p, Module) and p.parameter for p in parts) else "modules",
            constructor=interp.frame.function,
            plain=_torch_alone(interp),
        )
        interp.remark(unready, node, {obj}, certain=len(parts) == len(known))


def _torch_alone(interp: Interpreter) -> bool:
    """Whether what a bare `super().__init__()` calls in the running constructor is torch's, which takes no arguments."""
    owner = interp.frame.owner
    bases = classes.base_values(interp, owner) if owner is not None else []
    return len(bases) == 1 and isinstance(bases[0], External) and bases[0].qualname in _BARE_BASES


def _constructor(interp: Interpreter, obj: Obj) -> ir.Function | None:
    """The constructor of the object that is running: its own, or the one that its class inherits."""
    found = classes.find_member(interp, obj.cls, "__init__") if obj.cls is not None else None
    return found[0] if found is not None and isinstance(found[0], ir.Function) else None


def _is_used(interp: Interpreter, obj: Obj, attr: str) -> bool:
    """Whether a method other than a constructor mentions an attribute of its object."""
    return any(attr in usage.attrs for f in _methods(interp, obj) if (usage := f.usage_of_self) is not None)


def _is_deleted(interp: Interpreter, obj: Obj, attr: str) -> bool:
    """Whether a method deletes an attribute of its object: what it holds is kept for a while, and goes somewhere else then."""
    return any(
        f"{function.params[0].name}.{attr}" in map(ir.path_of, stmt.targets)
        for cls in (classes.mro(interp, obj.cls) if obj.cls is not None else ())
        for function in cls.cls.methods.values()
        if function.params
        for stmt in ir.statements(function.body)
        if isinstance(stmt, ir.Delete)
    )


def _is_given(interp: Interpreter, obj: Obj, attr: str) -> bool:
    """Whether a method hands out an attribute of its object, or a part of it: others may know what it holds."""
    for method in _methods(interp, obj):
        path = f"{method.params[0].name}.{attr}"
        for stmt in ir.statements(method.body):
            if isinstance(stmt, ir.Return) and stmt.value is not None and _hands_out(stmt.value, path):
                return True
    return False


def _hands_out(value: ir.Expr, path: str) -> bool:
    match value:
        case ir.Name() | ir.Attr():
            return ir.path_of(value) == path
        case ir.Subscript():
            return _hands_out(value.value, path)
        case ir.Display():
            return any(_hands_out(item, path) for item in value.items)
    return False


def _methods(interp: Interpreter, obj: Obj) -> list[ir.Function]:
    """The methods of an object but for its constructors."""
    found = classes.mro(interp, obj.cls) if obj.cls is not None else ()
    return [f for cls in found for f in cls.cls.methods.values() if f.params and f.name != "__init__"]


def _bases_are_known(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether every base is a class of the project, of torch, or one without a constructor of its own."""
    for each in classes.mro(interp, cls):
        bases = list(classes.base_values(interp, each))
        if len(bases) > len(each.cls.bases):
            return False  # one of several, as where an import may fail
        for base in bases:
            if isinstance(base, External):
                if base.qualname not in _NEUTRAL_BASES and call_effect(base.qualname) not in _MODULE_EFFECTS:
                    return False
            elif not isinstance(base, type(cls)):
                return False
    return True


def _is_single_layer(obj: Module) -> bool:
    """Whether an object is a layer of a library, which takes no further parts as a list does."""
    return obj.cls is None and call_effect(obj.qualname) == "module"


@method_transfer("add-module")
def _add_module(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name in _OF_LISTS and isinstance(obj, Module) and _is_single_layer(obj):
        return UNKNOWN  # the list is what another branch has put in its place
    if isinstance(obj, Module):
        _count_losses(interp, obj, name, args, expr)
        obj.length = None
        note_last(interp, obj, args.positional[-1] if name in ("append", "add_module") and args.positional else None)
    parts = frozenset().union(*(_parts_in(interp, value) for value in args.values()))
    if parts and not interp.assembling:
        _replace(interp, obj, "", sorted(parts, key=hash), expr.node)
    for value in args.values():
        adopt(obj, value)
        register(value, deep=True)
        note_part(interp, obj, expr.node, ir.render(expr.func), value)
        for atom in value:
            if isinstance(atom, Ref) and isinstance(atom.obj, Module):
                interp.write(obj, "[]", value)
        if lent := frozenset(parameters_in(value)):
            interp.write(obj, "[]", _some(lent) if interp.guarded() else lent)
    return ref(obj)


def _some(lent: frozenset[Params]) -> frozenset[Params]:
    """Parameters that are put into a list under a condition: it may hold others of the same modules, or none."""
    return frozenset(replace(each, exact=False) for each in lent)


def _count_losses(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> None:
    """Know the losses of a list by their numbers, where straight-line code fills it: `criteria = nn.ModuleList(); criteria.append(nn.L1Loss())`."""
    losses = refs(args.positional[0], Loss) if name == "append" and args.positional else []
    key = (id(expr), interp.frame.ctx)
    straight = interp.loops == (obj.loops or ()) and not interp.guards and (obj.length == 0 or bool(obj.losses))
    if straight and len(losses) == 1 and args.positional[0] == ref(losses[0]):
        obj.losses = {**obj.losses, key: args.positional[0]}
        for number, loss in enumerate(obj.losses.values()):
            obj.heap[f"[{number}]"] = loss
        return
    for number in range(len(obj.losses)):
        obj.heap.pop(f"[{number}]", None)
    obj.losses = {}


@method_transfer("register-buffer")
def _register_buffer(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self.register_buffer("mean", torch.zeros(3))`: an attribute that is a tensor, and no parameter."""
    key = constant_of(args.get(0, "name") or NOTHING)
    given = args.get(1, "tensor")
    if key is not None and isinstance(key.value, str) and given is not None:
        held = frozenset(a for a in given if isinstance(a, Tensor | Const))
        interp.write(obj, key.value, held or frozenset({Tensor()}))
    return NONE


@method_transfer("register-parameter")
def _register_parameter(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self.register_parameter("weight", weight)` is `self.weight = weight`."""
    key, given = constant_of(args.get(0, "name") or NOTHING), args.get(1, "param")
    if given is None:
        return NONE
    register(given)
    if key is not None and isinstance(key.value, str) and isinstance(expr.func, ir.Attr):
        _part_assigned(interp, obj, ir.Attr(expr.node, expr.func.value, key.value), given)
    else:
        adopt(obj, given)
    return NONE


def _replace(interp: Interpreter, obj: Obj, attr: str, parts: Sequence[TorchModule], node: cst.CSTNode) -> None:
    """A module that is built gets parts; those that its whole had before, as in `model.net = torch.compile(model.net)`, do not join it here."""
    for part in parts:
        if set(part.lineage()).isdisjoint(obj.lineage()):
            part.joined |= {obj}
    interp.emit(Replace(attr=attr, new=tuple(parts)), node, {obj})


def _parts_in(interp: Interpreter, value: Value) -> frozenset[Module]:
    """The modules that a method is given, alone or in a list."""
    given = element_of(interp, value) if refs(value, Container) or any(isinstance(a, Tuple) for a in value) else value
    return frozenset(refs(given, Module))


def _set_on_module(interp: Interpreter, obj: Module, target: ir.Attr, value: Value) -> None:
    """`model.head = nn.Linear(...)`: a part is added or replaced. What a parameter's `data` or `grad` is set to leaves the parameter as it is.

    A module of a class of the program is no parameter: what it calls `data` or `grad` is its own.
    """
    if target.attr in ("data", *GRADIENTS) and obj.cls is None:
        return
    constructing = any(f.name == "__init__" for f in interp.active) and obj.cls is not None
    modules = refs(value, Module, Loss)
    if (modules or _is_given_others(obj, value)) and not constructing:
        _replace(interp, obj, target.attr, modules, target.node)
    adopt(obj, value)
    if modules and not constructing:
        # Under a condition the old part may stay.
        old = (objects.attribute(interp, obj, target.attr) if obj.cls is None else obj.heap.get(target.attr)) if interp.guards else None
        obj.heap[target.attr] = join(old, value) if old is not None else value
        return
    interp.write(obj, target.attr, value)
    of_others = (a for a in value if isinstance(a, Tensor) and a.graph != "no" and any(obj not in o.lineage() for o in a.sources))
    obj.fed |= frozenset(of_others)
    for inner in modules:
        if not inner.name or inner.name == target.attr:
            inner.name = f"{ir.render(target.value)}.{target.attr}"


def _is_given_others(obj: Module, value: Value) -> bool:
    """Whether a module is given a parameter of another one, which takes gradients: a list of them, or a tensor that is none, is not registered.

    Where the module is one of several, so are the parameters: those of the others are not what this one gets.
    """
    parameters = [a for a in value if isinstance(a, Params)]
    return (
        any(a.form == "one" for a in parameters)
        and not any(_is_there(a, obj) for a in parameters)
        and not all(is_frozen(o) for a in parameters for o in a.sources)
    )


def _is_there(params: Params, obj: Module) -> bool:
    """Whether parameters, or what is computed from them, are those of a module itself or of one with it in a whole, which has them already.

    Those of an optimizer are those of the modules that it holds.
    """
    owners = frozenset().union(*(o.holds if isinstance(o, Optimizer) else {o} for o in params.sources))
    return all(not set(obj.lineage()).isdisjoint(owner.lineage()) for owner in owners)


@hooks.item_assigned
def _item_assigned(interp: Interpreter, obj: Module, target: ir.Subscript, key: Const | None, value: Value) -> None:
    """`layers[0] = nn.Linear(...)`: a part is replaced."""
    if refs(value, Module):
        _replace(interp, obj, f"[{ir.render(target.index)}]", refs(value, Module, Loss), target.node)
        adopt(obj, value)
        register(value)
        if key is None or interp.guards:
            obj.length = None  # which part it is, or whether it is replaced, is not known
        obj.last = None
        old = objects.part_under(interp, obj, key) if interp.guards else None
        obj.heap[objects.slot_of(obj, key)] = value if old is None else join(old, value)
