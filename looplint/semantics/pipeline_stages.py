"""Schedules of `torch.distributed.pipelining`: their `step` runs the stages of a model on parts of a batch, and goes backward through them itself."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.domain.objects import Obj
from looplint.domain.values import UNKNOWN, Arguments, Value
from looplint.flow.events import Backward
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# What the step of such a schedule takes by name, and neither that of an optimizer nor that of a learning rate's schedule.
_TAKES = frozenset({"target", "losses"})


def runs_stages(name: str, args: Arguments) -> bool:
    """Whether a method is the step of a pipeline's schedule, by what it is given: `schedule.step(inputs, target=labels, losses=losses)`."""
    return name == "step" and not _TAKES.isdisjoint(args.keywords)


def run_stages(interp: Interpreter, parts: Iterable[Obj], expr: ir.Call) -> Value:
    """The stages run forward and backward: gradients are filled, of which parameters is not known."""
    interp.emit(Backward(via="engine"), expr.node, parts, certain=False)
    return UNKNOWN
