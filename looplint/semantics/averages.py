"""Numbers that losses and counts become: what is added up over batches, and what that is divided by.

The units of a number say so: "mean-loss" is the mean loss of a batch, or a sum of such; "rows" is how many items a batch has, "items" how many a
dataset has, or all batches together.
"""

from __future__ import annotations

from typing import Final

from looplint.domain.objects import Dataset, Loader
from looplint.domain.tags import Mark, Multiplied, Scaled, Summed, sources_of_batches
from looplint.domain.values import Const, Number, Quantity, Ref, Tensor, Value, constant_of, refs
from looplint.flow.remarks import Average
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

_OF_LOSSES: Final = "mean-loss"
_OF_ONE: Final = "rows"
_OF_ALL: Final = "items"
# What the number of items of a batch is called where a loader takes it.
_SIZE = "batch_size"
_NOT_THE_MEAN = frozenset({Mark.SUM_REDUCTION, Mark.UNKNOWN_REDUCTION, Mark.SUM})


def units_of_item(tensor: Tensor) -> frozenset[Quantity]:
    """What the number of a tensor is: the mean loss of a batch of several items."""
    tags = tensor.tags
    loaders = [source for source in sources_of_batches(tags) if isinstance(source, Loader)]
    changed = bool(tags & _NOT_THE_MEAN) or any(isinstance(tag, Summed | Multiplied | Scaled) for tag in tags)
    means = Mark.LOSS in tags and not changed and bool(loaders) and not any(_gives_single_items(o) for o in loaders)
    return frozenset({_OF_LOSSES}) if means else frozenset()


def units_of_size(tensor: Tensor) -> frozenset[Quantity]:
    """What the length of a tensor counts: the items of a batch."""
    return frozenset({_OF_ONE}) if sources_of_batches(tensor.tags) else frozenset()


def units_of_length(value: Value, expr: ir.Expr | None) -> frozenset[Quantity]:
    """What `len(value)` counts: batches, the items of a dataset, or those of a batch."""
    if refs(value, Loader):
        return frozenset({"batches"})
    if isinstance(expr, ir.Attr) and expr.attr in ("dataset", "sampler") or (value and len(refs(value, Dataset)) == len(value)):
        return frozenset({_OF_ALL})
    return frozenset().union(*(units_of_size(a) for a in value if isinstance(a, Tensor)))


def _gives_single_items(loader: Loader) -> bool:
    """Whether a loader's batches have one item, whose loss is the mean."""
    size = loader.options.get("batch_size")
    known = constant_of(size) if size is not None else None
    return known is not None and known.value == 1 or (size is None and loader.complete and "batch_sampler" not in loader.options)


@hooks.reckoned
def _reckoned(
    interp: Interpreter, op: str, left: Value, right: Value, units: frozenset[Quantity], expr: ir.Binary | ir.AugAssign
) -> Number:
    if op in ("+", "-"):
        if isinstance(expr, ir.AugAssign) and interp.loops and _OF_ONE in units:
            units = units - {_OF_ONE} | {_OF_ALL}
        return Number(units)
    if op == "/" and _OF_LOSSES in _units(left) and all(isinstance(a, Number | Const) for a in left):
        _note_average(interp, left, right, expr)
    if op == "*" and isinstance(expr, ir.Binary):
        for side in (expr.left, expr.right):
            if isinstance(average := interp.remarks.get((interp.frame.ctx, id(side.node), Average.kind)), Average):
                average.weighted = True
    if "batches" in _units(right) and "batches" not in _units(left) and _is_no_constant(left) and op in ("/", "//"):
        return Number(frozenset({"epochs"}))  # `iterations / len(loader)`
    if "epochs" in units and _is_no_constant(left) and _is_no_constant(right):
        units = units - {"epochs"}  # so many of them in each epoch, perhaps
    parted = op in ("/", "//") or any(isinstance(a, Const) and isinstance(a.value, float) and a.value < 1 for a in left | right)
    divided: frozenset[Quantity] = frozenset({"divided"}) if parted and "batches" in units else frozenset()
    return Number(units - {_OF_LOSSES, _OF_ONE, _OF_ALL} | divided)


def _is_no_constant(value: Value) -> bool:
    return not all(isinstance(a, Const) for a in value)


def _units(value: Value) -> frozenset[Quantity]:
    return frozenset().union(*(a.units for a in value if isinstance(a, Number)))


def _note_average(interp: Interpreter, left: Value, right: Value, expr: ir.Binary | ir.AugAssign) -> None:
    """The mean loss of a batch is divided, or what such losses are added up to."""
    total, divisor = (expr.left, expr.right) if isinstance(expr, ir.Binary) else (expr.target, expr.value)
    units = _units(right)
    if _OF_ALL in units and len(right) == 1:
        interp.remark(Average(total=ir.render(total), divisor=ir.render(divisor), loader=None), expr.node, ())
    if (_OF_ONE in units and len(right) == 1) or (ir.path_of(divisor) or "").rpartition(".")[2] == _SIZE:
        interp.remark(Average(total=ir.render(total), divisor=ir.render(divisor), loader=None, again=True), expr.node, ())
    if isinstance(divisor, ir.Call) and units == {"batches"} and divisor.args:
        loaders = [a.obj for a in interp.evaluate(divisor.args[0].value) if isinstance(a, Ref) and isinstance(a.obj, Loader)]
        if len(loaders) == 1:
            interp.remark(Average(total=ir.render(total), divisor=ir.render(divisor), loader=loaders[0]), expr.node, ())
