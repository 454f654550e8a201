"""What the name of a function that cannot be followed says of the call."""

from __future__ import annotations

import re

from looplint.domain.tensors import combine
from looplint.domain.values import UNKNOWN, Arguments
from looplint.flow.remarks import Seed
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.semantics import devices
from looplint.semantics.gradients import backward
from looplint.syntax import ir

_MEASURES = r"(?:metric|evaluat|meter|scor|accurac|acc(?![a-z])|psnr|ssim|lpips|iou|confusion|(?<![a-z])fid(?![a-z])|(?<![a-z])(?:wer|cer|bleu|auc|f1)(?![a-z]))"
# `evaluator.update(outputs)`, `self.metrics.add(...)`; and `compute_metrics(outputs)`, `get_accuracy(outputs, labels)`.
_KEEPER = re.compile(rf"(?i){_MEASURES}[^.]*$")
_KEEPING = frozenset({"update", "add", "append", "add_batch", "process", "accumulate", "collect"})
_COMPUTER = re.compile(rf"(?i)(?:^|[._])(?:compute|calc|calculate|get|measure|eval|evaluate|update)_[^.]*{_MEASURES}[^.]*$")
# `metrics(outputs, labels)`, `self.accuracy_fn(...)`: a name that says no more than that; a similarity such as SSIM may be a loss.
_METRIC = re.compile(r"(?i)(?:^|[._])(?:metrics?|accuracy|acc|psnr|m?iou|auc|bleu|wer|cer|f1)(?:_score|_fn|_func|_function)?$")


@hooks.unknown_called
def _unknown_called(interp: Interpreter, args: Arguments, expr: ir.Expr) -> bool:
    """It may set the seed, or measure what it is given; what is not known goes to a GPU by `cuda()`, whatever it is."""
    if not isinstance(expr, ir.Call):
        return False
    callee = ir.render(expr.func)
    if "seed" in callee.lower():
        interp.remark(Seed(), expr.node, {interp.setting_owner("torch.random")})
    if isinstance(expr.func, ir.Attr) and expr.func.attr == "cuda":
        devices.note_unconditional(interp)
    if isinstance(expr.func, ir.Attr) and expr.func.attr == "backward" and all(each.keyword for each in expr.args):
        backward(interp, expr, [UNKNOWN], args)  # what is sent backward was not understood: it may be the loss of any model
    return note_measured(interp, args, expr)


def note_measured(interp: Interpreter, args: Arguments, expr: ir.Call) -> bool:
    """Note that what is called is a metric or keeps one, if its name says so: what it is given is measured."""
    match expr.func:
        case ir.Attr(value=keeper, attr=name) if expr.dropped and name.lower() in _KEEPING:
            measures = _KEEPER.search(ir.render(keeper)) is not None
        case ir.Attr(attr=name) | ir.Name(id=name):
            measures = _measures(name)
        case other:
            measures = _measures(ir.render(other))
    given = combine(interp.grad, args.values()) if measures else None
    interp.uses.scored |= given.origins if given is not None else frozenset()
    return measures


def _measures(name: str) -> bool:
    return _COMPUTER.search(name) is not None or _METRIC.search(name) is not None
