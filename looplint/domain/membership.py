"""What belongs to a module: its parts, whether it is ready to take them, and its parameters, wherever they are handed over."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import Container, List, Loss, Module, Obj, TorchModule
from looplint.domain.values import NOTHING, Atom, Iter, Params, Ref, Tuple, Value

# The entries of containers in which an optimizer finds parameters: any of a list, those of a group.
_OF_GROUPS = frozenset({"[]", "=params"})


def adopt(parent: Obj, value: Value, through: frozenset[Obj] = frozenset()) -> None:
    """A module becomes part of another one; `through` are the lists that it was reached through, which may hold themselves."""
    for atom in value:
        if isinstance(atom, Ref) and isinstance(atom.obj, Module | Loss) and atom.obj is not parent:
            part = atom.obj
            if parent in set(part.lineage()) or part in set(parent.lineage()):
                continue
            lent = part.borrowed
            if part.parent is None:
                part.parent = parent
            else:
                lent |= {part}
                for owner in [*part.lineage()][1:]:
                    owner.lent_to |= {parent}
                part.also_in += (parent,)
            for whole in parent.lineage() if lent else ():
                whole.borrowed |= lent
        elif isinstance(atom, Tuple):
            for inner in atom.items:
                adopt(parent, inner, through)
        elif isinstance(atom, Ref) and isinstance(atom.obj, List) and atom.obj not in through:
            adopt(parent, atom.obj.heap.get("[]", NOTHING), through | {atom.obj})


def register(value: Value, *, deep: bool = False) -> None:
    """Modules become parts that their owner knows of: in its parameters, its moves and its state. `deep` reaches into sequences.

    What a module is a part of is known by its parts: `nn.Sequential(*list(resnet.children())[:-1])` takes the layers out of it.
    """
    seen: set[Obj] = set()
    work = [value]
    while work:
        for atom in work.pop():
            match atom:
                case Ref(obj=Module() as module):
                    module.registered = True
                    work.extend(frozenset({Ref(one)}) for one in module.one_of if one not in seen)
                    seen.update(module.one_of)
                    if module.part and isinstance(module.parent, Module):
                        module.parent.registered = True
                case Ref(obj=Container() as container) if deep and container not in seen:
                    seen.add(container)
                    work.extend(container.heap.values())
                case Tuple() if deep:
                    work.extend(atom.items)


def ready(value: Value) -> None:
    """The constructor of torch's base class has run, or may have."""
    for atom in value:
        if isinstance(atom, Ref) and isinstance(atom.obj, TorchModule):
            atom.obj.ready = True


def where_parameters_are(atom: Atom) -> Iterator[Value]:
    """What an optimizer looks into for parameters: the items of a list, a tuple or an iterator, what a group has for its `params`."""
    match atom:
        case Ref(obj):
            yield from (inner for slot, inner in obj.heap.items() if slot in _OF_GROUPS)
        case Tuple(items):
            yield from items
        case Iter(element):
            yield element


def parameters_in(value: Value, depth: int = 4) -> Iterator[Params]:
    """The parameters in a value, by themselves or in groups, and none of the gradients."""
    for atom in value:
        if isinstance(atom, Params) and not atom.grad:
            yield atom
        elif depth:
            for inner in where_parameters_are(atom):
                yield from parameters_in(inner, depth - 1)
