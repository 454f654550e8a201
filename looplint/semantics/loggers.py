"""Objects that keep or show what they are given, or run the loop themselves: writers, metrics, transforms, trainers."""

from __future__ import annotations

from looplint.domain.objects import Dataset, Distribution, FrameworkObject, Metric, Obj, Writer
from looplint.domain.values import Arguments, Func, Value, refs
from looplint.interpreter import calls, unfollowed
from looplint.interpreter.calls import builds
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import application, methods_of, transfer
from looplint.syntax import ir


@methods_of(Writer, Metric)
def _method(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    return unfollowed.quiet(interp, args)


@application(Metric, Dataset, Distribution)
def _applied(interp: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    own = calls.own_call(interp, obj, args, expr)
    return own if own is not None else unfollowed.quiet(interp, args)


for effect, kind in (("writer", Writer), ("metric", Metric)):
    transfer(effect)(builds(kind))


@transfer("framework")
def _framework(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """What runs a loop: a function that it is given is what it does with each batch, as `ignite.engine.Engine(update)`."""
    unfollowed.put_off(interp, args)
    made = calls.build(interp, FrameworkObject, qualname, args, expr)
    for trainer in refs(made, FrameworkObject):
        trainer.updates |= any(isinstance(a, Func) for value in args.values() for a in value)
    return made
