"""Structures of tensors whose class is not known: an entry that loses its graph may have been all that had one."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Container
from looplint.domain.tags import NO_TAGS, SetAside, Tags
from looplint.domain.tensors import guess
from looplint.domain.values import NONE, UNKNOWN, Atom, Const, Number, Ref, Tensor, Tuple, Unknown, Value, constant_of
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.tensor_members import TENSOR_MEMBERS
from looplint.syntax import ir

# Through how many containers in containers one looks.
_DEPTH = 4


def written_to(interp: Interpreter, target: ir.Subscript | ir.Attr, value: Value) -> None:
    """`output["loss"] = output["loss"].detach()`, `output.loss = output.loss.item()`: what is left may have a graph, or not."""
    key: str | None = None
    match target:
        case ir.Subscript(value=ir.Name(id=name), index=index):
            with interp.looking(), interp.gradients.unread():
                known = constant_of(interp.evaluate(index))
            if known is None or not isinstance(known.value, str):
                return
            key = known.value
        case ir.Attr(value=ir.Name(id=name), attr=attr) if attr not in TENSOR_MEMBERS:
            pass
        case _:
            return
    if name in interp.frame.locals:
        interp.frame.locals[name] = frozenset(_with(key, value, _less(interp, atom, value)) for atom in interp.frame.locals[name])


def _with(key: str | None, value: Value, whole: Atom) -> Atom:
    """A structure that has got a value under a key: what stands there has no graph, whatever the rest has, or is known no better than the rest."""
    if key is None or not isinstance(whole, Tensor) or whole.made:
        return whole
    tags = whole.tags - {SetAside(key)}
    return replace(whole, tags=tags | {SetAside(key)} if all(map(_has_no_graph, value)) else tags)


def _has_no_graph(atom: Atom, depth: int = _DEPTH) -> bool:
    match atom:
        case Tuple(items=items) if depth:
            return all(_has_no_graph(inner, depth - 1) for item in items for inner in item)
        case Ref(obj=Container() as held) if depth:
            return all(_has_no_graph(inner, depth - 1) for value in held.heap.values() for inner in value)
        case Tensor(graph=graph):
            return graph == "no"
        case Unknown(deps=modules):
            return not modules
    return isinstance(atom, Number | Const)


def is_set_aside(tensor: Tensor, key: int | str | None) -> bool:
    """Whether the program has put something without a graph under a key of a structure."""
    return isinstance(key, str) and SetAside(key) in tensor.tags


def _less(interp: Interpreter, whole: Atom, value: Value) -> Atom:
    """A structure that is given a value for one of its entries."""
    if not isinstance(whole, Tensor) or whole.made or whole.graph != "yes":
        return whole
    cut = value == NONE or all(isinstance(a, Number) or (isinstance(a, Tensor) and _is_cut_from(a, whole)) for a in value)
    return guess(interp.grad, whole) if cut else whole


def _is_cut_from(entry: Tensor, whole: Tensor) -> bool:
    return entry.graph == "no" and not entry.origins.isdisjoint(whole.origins | whole.forwards)


def set_aside_in(value: Value) -> Tags:
    """What was put under keys without a graph, whichever structure a value is."""
    each = [frozenset(tag for tag in a.tags if isinstance(tag, SetAside)) if isinstance(a, Tensor) else NO_TAGS for a in value]
    return each[0].intersection(*each[1:]) if each else NO_TAGS


def told_by_default(default: Value | None) -> Value | None:
    """What an entry is, where what stands for one that is not there tells that it is no tensor: a text, a flag or a count, `output.get("patch_size", 16)`.

    0 and 1 may stand for a loss or a scale.
    """
    known = constant_of(default or frozenset())
    match known.value if known is not None else None:
        case str() | bool():
            return UNKNOWN
        case int() as number if number not in (0, 1):
            return frozenset({Number()})
    return None
