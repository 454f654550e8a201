"""Structures of tensors whose class is not known: an entry that loses its graph may have been all that had one."""

from __future__ import annotations

from looplint.domain.tensors import guess
from looplint.domain.values import NONE, Atom, Number, Tensor, Value
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.tensor_members import TENSOR_MEMBERS
from looplint.syntax import ir


def written_to(interp: Interpreter, target: ir.Subscript | ir.Attr, value: Value) -> None:
    """`output["loss"] = output["loss"].detach()`, `output.loss = output.loss.item()`: what is left may have a graph, or not."""
    match target:
        case ir.Subscript(value=ir.Name(id=name), index=ir.Const(value=str())):
            pass
        case ir.Attr(value=ir.Name(id=name), attr=attr) if attr not in TENSOR_MEMBERS:
            pass
        case _:
            return
    if name in interp.frame.locals:
        interp.frame.locals[name] = frozenset(_less(interp, atom, value) for atom in interp.frame.locals[name])


def _less(interp: Interpreter, whole: Atom, value: Value) -> Atom:
    """A structure that is given a value for one of its entries."""
    if not isinstance(whole, Tensor) or whole.made or whole.graph != "yes":
        return whole
    cut = value == NONE or all(isinstance(a, Number) or (isinstance(a, Tensor) and _is_cut_from(a, whole)) for a in value)
    return guess(interp.grad, whole) if cut else whole


def _is_cut_from(entry: Tensor, whole: Tensor) -> bool:
    return entry.graph == "no" and not entry.origins.isdisjoint(whole.origins | whole.forwards)
