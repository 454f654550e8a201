"""Which modules hold the parameters of which, and which keep modules where they are not registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from looplint.domain.objects import Container, Dict, Engine, List, Loss, Module, Obj, Optimizer
from looplint.domain.values import Ref, Tensor, Tuple, Value, refs
from looplint.flow.remarks import Shelve
from looplint.knowledge.layers import CONTAINERS
from looplint.queries.relations import rule_each_other_out
from looplint.semantics.parameters import without_weights


def contains_part(module: Obj, whole: Obj) -> bool:
    """Whether a module was built around a part of another one: it keeps the parameters that were there."""
    seen: set[int] = set()
    work = [module]
    while work:
        obj = work.pop()
        if id(obj) in seen:
            continue
        seen.add(id(obj))
        part = isinstance(obj, Module) and obj.part
        before = set(obj.first_lineage())
        if obj is not module and (part or whole in before and module not in before):
            return True
        given = obj.arguments if isinstance(obj, Module) else None
        values = [*obj.heap.values(), *(given.values() if given is not None else ())]
        work.extend(a.obj for value in values for a in value if isinstance(a, Ref) and isinstance(a.obj, Module | Container))
    return False


def unregistered(event: Shelve) -> list[Module]:
    """The modules with parameters that an object made for itself and keeps in a plain container, where it does not know of them."""
    found = dict.fromkeys(o for o in _shelved(event) if _is_lost(o, event.constructor))
    return sorted(found, key=lambda o: (o.name, o.qualname, o.number))


def only_containers(event: Shelve) -> bool:
    """Whether an attribute that is given a plain container is never given a module instead; what another branch gives it is not in its place."""
    attribute = event.name.rpartition(".")[2]
    modules = [m for o in event.subjects for m in refs(o.heap.get(attribute), Module, Loss)]
    return all(rule_each_other_out(module.made_under, event.guards) for module in modules)


def known_elsewhere(event: Shelve, optimizers: Iterable[Optimizer | Engine]) -> bool:
    """Whether something registers the modules that an object keeps in a plain container, calls their `parameters()`, or gets them as arguments.

    Parameters in a container of their own may be given to an optimizer as they are: `Adam(self.weights + self.biases)`.
    """
    held = frozenset(o for optimizer in optimizers for o in optimizer.holds if isinstance(o, Module) and o.parameter)
    kept = (each for o in _shelved(event) for each in _alternatives(o))
    return event.given or any(each.registered or each.parameters_read or each in held for each in kept)


def _shelved(event: Shelve) -> Iterator[Module]:
    """The modules in a plain container, and in the containers in it."""
    work: list[tuple[Value, int]] = [(event.value, 3)]
    while work:
        value, depth = work.pop()
        for atom in value:
            match atom:
                case Tuple() if depth and len(atom.items) > 1:
                    work.extend((item, depth - 1) for item in atom.items)
                case Ref(obj=List(items=() | (_,))):
                    continue  # a list of one, written as one, is how a module is hidden on purpose
                case Ref(obj=List() | Dict()) if depth:
                    work.extend((inner, depth - 1) for inner in atom.obj.heap.values())
                case Ref(obj=Module() as module) if depth < 3:
                    yield module


def wrapper_for(event: Shelve) -> str | None:
    """The class of torch that can hold what a plain container holds; None where it holds other things than modules, or than parameters."""
    for atom in event.value if len(event.value) == 1 else ():
        match atom:
            case Tuple(items=items):
                kinds = {_kind_of_all(item) for item in items}
                return f"{kinds.pop()}List" if len(kinds) == 1 and None not in kinds else None
            case Ref(obj=List() as listed):
                kind = _kind_of_all(listed.heap.get("[]"))
                return f"{kind}List" if kind else None
            case Ref(obj=Dict() as table):
                kind = _kind_of_all(table.heap.get("[]"))
                return f"{kind}Dict" if kind and table.exact and not table.changed else None
    return None


def _kind_of_all(value: Value | None) -> Literal["Module", "Parameter"] | None:
    """What all that a value can be is: modules, or parameters, which are tensors too."""
    objects = [a.obj for a in value or () if isinstance(a, Ref) and isinstance(a.obj, Module | Loss)]
    tensors = [a for a in value or () if isinstance(a, Tensor)]
    if not objects or len(objects) + len(tensors) < len(value or ()):
        return None
    if all(isinstance(obj, Module) and obj.parameter for obj in objects):
        return "Parameter"
    return None if tensors else "Module"


def _is_lost(module: Module, constructor: object) -> bool:
    known = not module.symbolic and constructor in module.made_in
    elsewhere = any(o.registered or o.parameters_read or o.handed_over or o.frozen for o in _alternatives(module))
    return known and not elsewhere and not _trains_itself(module) and _with_own_parameters(module, constructor)


def _alternatives(module: Module) -> Iterator[Module]:
    """A module, and, where it is one of several, each of these: what the program does to one before the ways meet stands there."""
    yield module
    yield from (each for each in module.one_of if isinstance(each, Module))


def _trains_itself(module: Module) -> bool:
    """Whether a module is a trainer: what it holds is trained by its own methods."""
    return module.cls is not None and module.cls.cls.trains_itself


def _with_own_parameters(module: Module, constructor: object, depth: int = 4) -> bool:
    """Whether a module holds parameters that were made with it: what it was handed is another's to register."""
    parts = [part for value in module.heap.values() for part in refs(value, Module)]
    own = [p for p in parts if not p.symbolic and constructor in p.made_in]
    if len(own) == len(parts):
        return with_parameters(module, depth)
    return depth > 0 and any(p.parameter or _with_own_parameters(p, constructor, depth - 1) for p in own)


def with_parameters(module: Module, depth: int = 4) -> bool:
    """Whether a module is known to hold parameters."""
    if module.cls is None and not module.heap:
        # A layer that is got by a name of which nothing is known, `getattr(nn, name)`, may be a function as well.
        return not without_weights(module) and not (
            module.qualname.startswith("torch.nn.") and module.qualname.rpartition(".")[2] in (*CONTAINERS, "Any")
        )
    parts = [part for value in module.heap.values() for part in refs(value, Module)]
    return depth > 0 and any(p.parameter or with_parameters(p, depth - 1) for p in parts)
