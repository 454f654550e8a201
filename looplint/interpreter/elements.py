"""What is in a container: an item by its index, and what iterating over it yields."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Data, List, Module, Obj, Optimizer
from looplint.domain.tags import MadeOutOfSight, Mark, Tag, ToldBy
from looplint.domain.tensors import tensors_in
from looplint.domain.texts import affixes_of
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    ClassRef,
    Const,
    External,
    Iter,
    Method,
    ModuleRef,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    exact_items,
    join,
    released,
)
from looplint.interpreter import hooks, imports, objects, registries
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.naming import is_the_loss
from looplint.syntax import ir


def subscript(interp: Interpreter, base: Value, index: Value, expr: ir.Subscript) -> Value:
    """`base[index]`."""
    known, text = constant_of(index), affixes_of(index)
    hooks.key_read.run(interp, base, known.value if known else None, expr)
    result: Value = NOTHING
    for atom in base:
        match atom:
            case Tuple():
                number = known.value if known is not None and isinstance(known.value, int) else None
                if number is not None and -len(atom.items) <= number < len(atom.items):
                    value = atom.items[number]
                else:
                    value = _join_all(atom.items)
            case Ref():
                own = objects.own_item(interp, atom.obj, index, expr)
                if own is not None:
                    value = own
                else:
                    value = objects.item(interp, atom.obj, known) if text is None else objects.item_that_fits(interp, atom.obj, text)
            case Iter():
                value = atom.element
            case Tensor() if known is not None and isinstance(known.value, int | str):
                if isinstance(known.value, str) and is_the_loss(known.value):
                    interp.uses.scored |= atom.origins
                value = hooks.unpacked.run(interp, frozenset({atom}), known.value)
            case Params():
                value = UNKNOWN if is_option(atom, known) else frozenset({replace(atom.item(), exact=False)})
            case Tensor():
                value = frozenset({_picked(atom, index)})
            case Unknown():
                value = frozenset({replace(atom, whole=False) if atom.whole else atom})
            case Const() if atom.value is None:
                continue  # it has no items: what has them is what else the value can be
            case Method(obj=ModuleRef() as members, name="__dict__") if known is not None and isinstance(known.value, str):
                value = imports.member(interp, members, known.value) or UNKNOWN
            case Method(obj=ModuleRef() as members, name="__dict__"):
                value = registries.builder_in(interp, members) or UNKNOWN
            case ClassRef() if known is None:
                value = frozenset({atom})  # `Batch[Tensor](x)` builds a `Batch`
            case External():
                # `models.__dict__[name]`: any class of that module has the same effect.
                module = atom.qualname.removesuffix(".__dict__")
                value = frozenset({External(f"{module}.any" if module == atom.qualname else f"{module}.Any")})
            case _:
                value = UNKNOWN
        result = join(result, value)
    return result or UNKNOWN


def _picked(tensor: Tensor, index: Value) -> Tensor:
    """The items of a tensor that an index names: what code out of sight has found there, or a model, is in what is computed of them."""
    indices = tensors_in([index])
    found: list[Tag] = [tag for each in indices for tag in each.tags if isinstance(tag, MadeOutOfSight | ToldBy)]
    found += [ToldBy(key) for each in indices for key in each.origins - tensor.origins]
    if _begins_with_a_new_dimension(index):
        found.append(Mark.SINGLE)  # `state[None]` is a batch of one
    return tensor.tagged(*found) if found else tensor


def _begins_with_a_new_dimension(index: Value) -> bool:
    firsts = [a.items[0] if isinstance(a, Tuple) and a.items else frozenset({a}) for a in index]
    return bool(firsts) and all(isinstance(a, Const) and a.value is None for first in firsts for a in first)


def cut(value: Value) -> Value:
    """What a slice takes of parameters, alone or in pairs with their names: some of them, by their place."""
    return frozenset(map(_cut, value))


def _cut(atom: Atom) -> Atom:
    match atom:
        case Params():
            return replace(atom.result(), exact=False, cut=True)
        case Tuple():
            return replace(atom, items=tuple(map(cut, atom.items)))
    return atom


def is_option(params: Params, key: Const | None) -> bool:
    """Whether a key of a parameter group of an optimizer is that of an option, such as its rate: all but one are."""
    of_group = bool(params.sources) and all(isinstance(o, Optimizer) for o in params.sources)
    return of_group and key is not None and isinstance(key.value, str) and key.value != "params"


def _join_all(items: tuple[Value, ...]) -> Value:
    result: Value = NOTHING
    for item in items:
        result = join(result, item)
    return result or UNKNOWN


def element_of(interp: Interpreter, value: Value) -> Value:
    """What iterating over the value yields."""
    result: Value = NOTHING
    for atom in value:
        match atom:
            case Tuple():
                inner: Value = _join_all(atom.items)
            case Iter():
                inner = atom.element
            case Ref():
                inner = objects.element(interp, atom.obj)
            case Params():
                inner = frozenset({atom.item()})
            case Unknown(whole=True):
                inner = frozenset({replace(atom, whole=False)})
            case Tensor() | Unknown():
                inner = frozenset({atom})
            case Const() if isinstance(atom.value, str):
                inner = frozenset({Unknown()})
            case Const() if atom.value is None:
                continue
            case _:
                inner = UNKNOWN
        result = join(result, inner)
    return released(result) or UNKNOWN


def last_of(value: Value) -> Value | None:
    """The last item of a sequence, also of one of which the number of items is not known; None where that is not known."""
    items = exact_items(value)
    if items is not None:
        return items[-1] if items else None
    match list(value):
        case [Ref(obj=List() as items_of)]:
            return items_of.last
        case [Ref(obj=Module(length=length) as parts)]:
            return parts.heap.get(f"[{length - 1}]") if length else parts.last
    return None


def note_last(interp: Interpreter, obj: List | Module, value: Value | None) -> None:
    """A container gets something at its end: what that is is known where it is put there on every path, and once."""
    obj.last = value if interp.loops == (obj.loops or ()) and interp.guards == obj.made_under else None


def loaders_in(value: Value) -> frozenset[Obj]:
    """The loaders that an iterable goes over."""
    found: frozenset[Obj] = frozenset()
    for atom in value:
        match atom:
            case Ref(obj=Data()):
                found |= {atom.obj}
            case Iter():
                found |= atom.over
    return found
