"""Distributions: samples and log-probabilities depend on their parameters."""

from __future__ import annotations

from looplint.domain.objects import Distribution, Obj
from looplint.domain.tensors import combine, detached
from looplint.domain.values import UNKNOWN, Arguments, Value, ref
from looplint.interpreter.calls import builds
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import construction, methods_of, transfer
from looplint.syntax import ir


@methods_of(Distribution)
def _sampled(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A sample or a log-probability of a distribution depends on its parameters; sample() gives no graph."""
    if name == "expand":
        return ref(obj)
    tensor = combine(interp.grad, [*obj.heap.values(), *args.values()])
    if tensor is None:
        return UNKNOWN
    return frozenset({detached(tensor) if name in ("sample", "sample_n") else tensor})


@construction(Distribution)
def take(interp: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> None:
    """Note what a distribution is made of: numbers, tensors, other distributions."""
    for number, value in enumerate(args.values()):
        interp.write(obj, f"[{number}]", value)


transfer("distribution")(builds(Distribution))
