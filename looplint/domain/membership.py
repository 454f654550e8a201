"""What belongs to a module: its parts, and whether it is ready to take them."""

from __future__ import annotations

from looplint.domain.values import NOTHING, Obj, Ref, Tuple, Value

# Kinds of objects that are modules of torch, whatever else they are.
MODULAR = frozenset({"module", "loss", "framework"})


def adopt(parent: Obj, value: Value) -> None:
    """A module becomes part of another one."""
    for atom in value:
        if isinstance(atom, Ref) and atom.obj.kind in ("module", "loss") and atom.obj is not parent and atom.obj.parent is None:
            if parent not in set(atom.obj.lineage()) and atom.obj not in set(parent.lineage()):
                atom.obj.parent = parent
        elif isinstance(atom, Tuple):
            for inner in atom.items:
                adopt(parent, inner)
        elif isinstance(atom, Ref) and atom.obj.kind == "list":
            adopt(parent, atom.obj.heap.get("[]", NOTHING))


def register(value: Value, *, deep: bool = False) -> None:
    """Modules become parts that their owner knows of: in its parameters, its moves and its state. `deep` reaches into sequences."""
    for atom in value:
        match atom:
            case Ref() if atom.obj.kind == "module":
                atom.obj.info["registered"] = True
            case Ref() if deep and atom.obj.kind in ("list", "dict"):
                for inner in atom.obj.heap.values():
                    register(inner, deep=True)
            case Tuple() if deep:
                for inner in atom.items:
                    register(inner, deep=True)


def ready(value: Value) -> None:
    """The constructor of torch's base class has run, or may have."""
    for atom in value:
        if isinstance(atom, Ref) and atom.obj.kind in MODULAR:
            atom.obj.info["ready"] = True
