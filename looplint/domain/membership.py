"""What belongs to a module: its parts, and whether it is ready to take them."""

from __future__ import annotations

from looplint.domain.objects import Container, List, Loss, Module, Obj, TorchModule
from looplint.domain.values import NOTHING, Ref, Tuple, Value


def adopt(parent: Obj, value: Value) -> None:
    """A module becomes part of another one."""
    for atom in value:
        if isinstance(atom, Ref) and isinstance(atom.obj, Module | Loss) and atom.obj is not parent and atom.obj.parent is None:
            if parent not in set(atom.obj.lineage()) and atom.obj not in set(parent.lineage()):
                atom.obj.parent = parent
        elif isinstance(atom, Tuple):
            for inner in atom.items:
                adopt(parent, inner)
        elif isinstance(atom, Ref) and isinstance(atom.obj, List):
            adopt(parent, atom.obj.heap.get("[]", NOTHING))


def register(value: Value, *, deep: bool = False) -> None:
    """Modules become parts that their owner knows of: in its parameters, its moves and its state. `deep` reaches into sequences."""
    for atom in value:
        match atom:
            case Ref(obj=Module() as module):
                module.registered = True
            case Ref(obj=Container() as container) if deep:
                for inner in container.heap.values():
                    register(inner, deep=True)
            case Tuple() if deep:
                for inner in atom.items:
                    register(inner, deep=True)


def ready(value: Value) -> None:
    """The constructor of torch's base class has run, or may have."""
    for atom in value:
        if isinstance(atom, Ref) and isinstance(atom.obj, TorchModule):
            atom.obj.ready = True
