"""What a function does with a name, where only tensors allow that: it computes with it, or hands it to what takes tensors."""

from __future__ import annotations

import re

from looplint.domain.objects import Loss, Module, Obj
from looplint.domain.values import External, Func, Method, Partial, Ref, Unknown, Value, ref
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import attribute, lookup
from looplint.interpreter.roles import annotated
from looplint.knowledge.lookup import call_effect, is_functional_loss
from looplint.knowledge.pytorch import AUDIO, JOINING, TENSOR_ARGUMENTS, TENSOR_ATTRIBUTES, TENSOR_COMPUTING, TENSOR_ONLY_ATTRIBUTES
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

_DEPTH = 4
# Modules of libraries that are built on tensors alone: none takes a batch of another kind.
_TAKERS = ("torch.nn.", "torchvision.models.", "timm.")
# What can be moved and is called so is a tensor, or a batch of images or a tensor of another kind that gives a moved copy as well (detectron2's ImageList,
# DETR's NestedTensor, a SparseTensor).
_MEDIA = r"(?i)(^|_)(images?|imgs?|videos?|pixel_values|waveforms?|wavs?|tensor)$"


def has_own_fields(interp: Interpreter, receiver: ir.Expr) -> bool:
    """Whether what an expression stands for is an object with fields of its own, as far as this function tells: no tensor."""
    path = ir.path_of(receiver)
    usage = usage_at(interp, path) if path is not None else None
    return usage is not None and of_own_fields(usage)


def usage_at(interp: Interpreter, path: str) -> ir.Usage | None:
    usage = interp.frame.function.usage.get(path)
    if usage is None and path.startswith("self.") and interp.frame.owner is not None:
        return classes.usage_of(interp, interp.frame.owner, path[5:])
    return usage


def is_used_as_tensor(interp: Interpreter, path: str) -> bool:
    """Whether the function that is followed computes with a name as with a tensor, or gives it to what takes tensors."""
    usage = usage_at(interp, path)
    return usage is not None and used_or_given_as_tensor(interp, usage)


def of_own_fields(usage: ir.Usage) -> bool:
    return usage.keyed or bool(usage.attrs - usage.methods - TENSOR_ATTRIBUTES - {"T", "mT", "real", "imag"})


def is_of_media(name: str) -> bool:
    """Whether a variable, an attribute or an entry is named as pictures, films and sounds are: what is moved by such a name gives a moved copy."""
    return re.search(_MEDIA, name) is not None


def used_as_tensor(usage: ir.Usage) -> bool:
    return bool(usage.computed or usage.methods & TENSOR_COMPUTING or usage.attrs & TENSOR_ONLY_ATTRIBUTES)


def used_or_given_as_tensor(interp: Interpreter, usage: ir.Usage) -> bool:
    given: list[tuple[str, int | str]] = [*usage.passed, *usage.named]
    return (
        used_as_tensor(usage)
        or any(_is_given_as_tensor(interp, callee, place) for callee, place in given)
        or any(_joins(value_at(interp, callee)) for callee in usage.listed)
    )


def _joins(callee: Value) -> bool:
    """Whether what is called takes tensors in a list: `torch.cat([x, y])`."""
    return bool(callee) and all(isinstance(a, External) and a.qualname in JOINING for a in callee)


def _is_given_as_tensor(interp: Interpreter, callee: str, place: int | str) -> bool:
    """Whether what is called takes a tensor at a place: a function that is known, or a method of tensors, as in `total.index_add_(0, index, values)`."""
    value = value_at(interp, callee)
    if _takes_tensors(interp, value, place):
        return True
    _, _, method = callee.rpartition(".")
    return callee != method and place in TENSOR_ARGUMENTS.get(method, ()) and all(isinstance(a, Unknown | Method) for a in value)


def value_at(interp: Interpreter, path: str) -> Value:
    """What a dotted name is here. Looking does not happen in the program."""
    first, *rest = path.split(".")
    with interp.beside(interp.frame):
        value = lookup(interp, interp.frame, first)
        for name in rest:
            value = attribute(interp, value, name)
    return value


def _takes_tensors(interp: Interpreter, callee: Value, place: int | str, depth: int = _DEPTH) -> bool:
    """Whether what is called takes a tensor, and nothing else, at a place among its arguments: a position, or a keyword."""
    for atom in callee:
        match atom:
            case External():
                effect = call_effect(atom.qualname)
                of_torch = atom.qualname.startswith(("torch.", *AUDIO)) and effect in ("tensor", "detached")
                if of_torch or effect == "edges" or is_functional_loss(atom.qualname):
                    return True
                if effect == "apply-in-windows" and place in (0, "inputs"):
                    return True
            case Partial(func=inner, args=args) if depth:
                if _takes_tensors(interp, inner, place + len(args) if isinstance(place, int) else place, depth - 1):
                    return True
            case Ref(obj=Loss(cls=None)):
                return True
            case Ref(obj=Module() | Loss()) if depth:
                if _module_takes_tensors(interp, atom.obj, place, depth):
                    return True
            case Func(function, module, bound=bound) if depth and not function.decorators:
                owner = next((a.obj for a in bound or () if isinstance(a, Ref)), None)
                if _function_takes_tensors(interp, function, module, owner, _after_self(place, bound is not None), depth):
                    return True
    return False


def _after_self(place: int | str, is_method: bool) -> int | str:
    """The place of an argument among the parameters of a function."""
    return place + is_method if isinstance(place, int) else place


def _module_takes_tensors(interp: Interpreter, obj: Obj, place: int | str, depth: int) -> bool:
    if obj.cls is None:
        first = obj.heap.get("[0]")
        return _takes_tensors(interp, first, 0, depth - 1) if first is not None else obj.qualname.startswith(_TAKERS)
    return _method_takes_tensors(interp, obj, "forward", place, depth)


def _method_takes_tensors(interp: Interpreter, obj: Obj, name: str, place: int | str, depth: int) -> bool:
    found = classes.find_member(interp, obj.cls, name) if obj.cls is not None else None
    if found is None or not isinstance(found[0], ir.Function) or found[0].decorators:
        return False
    return _function_takes_tensors(interp, found[0], found[1].module, obj, _after_self(place, is_method=True), depth)


def _function_takes_tensors(
    interp: Interpreter, function: ir.Function, module: ModuleInfo, owner: Obj | None, place: int | str, depth: int
) -> bool:
    """Whether a function uses a parameter as a tensor, says that it is one, or hands it to what takes tensors; `owner` is the object of a method."""
    plain = [p for p in function.params if p.kind != "*" and p.kind != "**"]
    param = next((p for number, p in enumerate(plain) if place in (p.name, number) and (p.kind == "plain" or place == p.name)), None)
    if param is None:
        return False
    usage = function.usage.get(param.name, ir.Usage())
    if of_own_fields(usage):
        return False
    if used_as_tensor(usage) or annotated(ir.render(param.annotation)) == "tensor":
        return True
    given: list[tuple[str, int | str]] = [*usage.passed, *usage.named]
    for path, inside in given:
        name = path.removeprefix("self.")
        if owner is not None and path == "self":
            inner: Value | None = ref(owner)
        elif owner is None or name == path:
            inner = classes.static_value(interp, ir.named(path, function.node), module)
        else:
            inner = owner.heap.get(name)
            if inner is None and depth and _method_takes_tensors(interp, owner, name, inside, depth - 1):
                return True
        if inner is not None and _takes_tensors(interp, inner, inside, depth - 1):
            return True
    return False
