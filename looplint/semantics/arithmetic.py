"""Operators on tensors: what is computed from them, and what their comparison tells."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.tags import NO_TAGS, Mark, Multiplied, Tags, is_multiplied, is_sum
from looplint.domain.tensors import computed, multiplied, rooted, sure
from looplint.domain.values import COMPUTED, Const, Number, Tensor, Unknown, Value, tensor_of
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


@hooks.operated
def _operated(interp: Interpreter, op: str, left: Value, right: Value, tensor: Tensor, expr: ir.Binary | ir.AugAssign) -> Tensor:
    if sure((left, right)):
        tensor = rooted(computed(tensor), len(interp.loops))
    other = expr.right if isinstance(expr, ir.Binary) else expr.value
    if op == "-":
        _note_difference(interp, left, right)
    if op in ("+", "-"):
        tensor = replace(tensor, tags=tensor.tags - _scales_of_others(left, right))
    if _is_scalar(left, expr.left if isinstance(expr, ir.Binary) else expr.target) and _is_scalar(right, other):
        tensor = replace(tensor, scalar=True)
    if op in ("/", "*"):
        tensor = multiplied(tensor, op, ir.render(other))
        if isinstance(expr, ir.Binary) and not any(isinstance(a, Tensor) for a in left):
            tensor = multiplied(tensor, op, ir.render(expr.left))
    return tensor


def _scales_of_others(left: Value, right: Value) -> Tags:
    """What says how a summand is scaled, where the other one is the mean loss of a batch as it is: `loss + 0.1 * penalty` is not scaled.

    What is divided may be divided by the number of batches: it keeps that.
    """
    one, two = tensor_of(left), tensor_of(right)
    for loss, other in ((one, two), (two, one)):
        if loss is None or other is None or not _is_mean_loss(loss):
            continue
        scales = frozenset(tag for tag in other.tags if isinstance(tag, Multiplied) or tag in (Mark.SUM_REDUCTION, Mark.SUM))
        if not any(isinstance(tag, Multiplied) and tag.op == "/" for tag in scales):
            return scales
    return NO_TAGS


def _is_mean_loss(tensor: Tensor) -> bool:
    tags = tensor.tags
    return Mark.LOSS in tags and Mark.SUM_REDUCTION not in tags and not is_sum(tags) and not is_multiplied(tags)


def _note_difference(interp: Interpreter, left: Value, right: Value) -> None:
    """What a model puts out minus what it should have been is an error."""
    for one, two in ((left, right), (right, left)):
        given = [a for a in two if isinstance(a, Tensor | Unknown)]
        if given and not any(isinstance(a, Tensor) and a.origins for a in given):
            for atom in one:
                if isinstance(atom, Tensor):
                    interp.uses.compare(atom.origins)


def _is_scalar(value: Value, expr: ir.Expr) -> bool:
    """Whether an operand is a number, or a tensor of one element: by its value, or because a count or a size is always a number."""
    if value and all(isinstance(a, Number | Const) or (isinstance(a, Tensor) and a.scalar) for a in value):
        return True
    match expr:
        case ir.Call(func=ir.Attr(attr="size")):
            return bool(expr.args)
        case ir.Call(func=ir.Name(id="len")) | ir.Call(func=ir.Attr(attr="numel" | "item")) | ir.Subscript(value=ir.Attr(attr="shape")):
            return True
    return False


@hooks.compared
def _compared(interp: Interpreter, tensor: Tensor, sides: list[Value]) -> Tensor:
    # An output that is compared with its own maximum is not compared with a target.
    within = frozenset.intersection(*(frozenset().union(*(a.origins for a in side if isinstance(a, Tensor))) for side in sides))
    interp.uses.scored |= within
    interp.uses.compare(tensor.origins - within)
    return Tensor(origins=tensor.origins, made=COMPUTED if sure(sides) else frozenset())
