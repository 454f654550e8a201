"""Optimizers: what they are built from, and their steps."""

from __future__ import annotations

from collections.abc import Sequence

from looplint.domain.objects import Module, Obj, Optimizer
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Func,
    Params,
    Ref,
    Tensor,
    Value,
    constant_of,
    may_be_unknown,
    ref,
    refs,
)
from looplint.flow.events import Construct, Escape, Step
from looplint.interpreter import classes, iterators
from looplint.interpreter.calls import builds
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import construction, method_transfer, transfer
from looplint.interpreter.turns import is_one
from looplint.knowledge.frameworks import OF_SETTINGS_AND_MODEL
from looplint.knowledge.pytorch import STATEFUL
from looplint.semantics.gradients import backward
from looplint.semantics.parameters import held, only_tensors
from looplint.semantics.uses_of_gradients import step_uses_gradients
from looplint.syntax import ir

_BACKWARD = frozenset({name for name, kind in ir.GRADIENT_METHODS.items() if kind == "backward"})


def _has_state(obj: Obj, args: Arguments) -> bool:
    """Whether an optimizer keeps something between its steps: all do but gradient descent without momentum."""
    leaf = obj.qualname.rpartition(".")[2]
    if obj.cls is not None or args.starred or leaf not in STATEFUL | {"SGD"}:
        return False
    momentum = args.get(2, "momentum")
    known = constant_of(momentum) if momentum is not None else None
    return leaf != "SGD" or not (momentum is None or (known is not None and not known.value))


def _needs_unscaled(obj: Obj, args: Arguments) -> bool:
    """Whether an optimizer takes unscaled gradients alone: one of torch's that is not built with `fused=True`."""
    fused = args.keywords.get("fused")
    known = constant_of(fused) if fused is not None else None
    plain = fused is None or (known is not None and not known.value)
    return obj.cls is None and obj.qualname.startswith("torch.optim.") and not args.starred and plain


@transfer("around-optimizer")
def _around(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """What is put around an optimizer stands for it; an attribute of a model out of sight that is given is the optimizer that the model keeps."""
    given = args.get(0, "optimizer", "init_optimizer") or UNKNOWN
    return frozenset(Ref(_kept_by_model(interp, a.obj)) if isinstance(a, Ref) else a for a in given)


def _kept_by_model(interp: Interpreter, obj: Obj) -> Obj:
    model = obj.parent
    if not isinstance(obj, Module) or not obj.part or model is None:
        return obj
    optimizer = interp.known(Optimizer, ("symbol", obj.key), obj.name)
    optimizer.symbolic = True
    optimizer.holds = frozenset({model})
    slot = obj.name.rpartition(".")[2]
    if slot in model.heap:
        model.heap[slot] = ref(optimizer)
    return optimizer


@method_transfer("step")
def _step(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    closure = args.get(0, "closure")
    funcs = [a for a in closure if isinstance(a, Func)] if closure else []
    for func in funcs:
        interp.call_function(func, Arguments(), expr)
    unknown = closure is not None and not funcs and may_be_unknown(closure)
    going_backward = _going_backward(interp, obj)
    for func in going_backward:
        interp.call_function(func, args, expr)
    if (
        isinstance(obj, Optimizer)
        and closure
        and not going_backward
        and obj.cls is None
        and obj.symbolic
        and all(isinstance(a, Tensor) for a in closure)
    ):
        # One out of sight that is given a loss, where torch's own take a function, makes the whole update of it.
        obj.may_clear = True
        backward(interp, expr, [closure], args)
    interp.emit(Step(closure=bool(funcs) or unknown), expr.node, {obj}, certain=is_one(interp, obj, expr))
    if unknown:
        interp.emit(Escape(callee=ir.render(expr.func)), expr.node, {obj})
    if funcs:
        return frozenset({Tensor(graph="no")})
    return UNKNOWN


def _going_backward(interp: Interpreter, obj: Obj) -> Sequence[Func]:
    """The step of an optimizer of the program that goes backward itself, through losses that it is given: `meta.step(losses)`."""
    member = classes.find_member(interp, obj.cls, "step") if obj.cls is not None else None
    if member is None or not isinstance(member[0], ir.Function) or member[0].methods.isdisjoint(_BACKWARD):
        return ()
    return [a for a in classes.bind(interp, member, obj) if isinstance(a, Func)]


@transfer("step-argument")
def _step_argument(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    for obj in (a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)):
        interp.emit(Step(), expr.node, {obj})
    return UNKNOWN


@method_transfer("add-params")
def _add_params(interp: Interpreter, obj: Optimizer, name: str, args: Arguments, expr: ir.Call) -> Value:
    found, _ = held(interp, args.positional[0] if args.positional else NOTHING)
    if obj.holds or not obj.symbolic:
        obj.holds |= found  # what one out of sight holds besides stays unknown
    obj.extended = True
    return NONE


@transfer("master-params")
def _master_params(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return frozenset({Params(frozenset(interp.reachable(args.values())))})


def _given(optimizer: Optimizer) -> frozenset[Obj]:
    """The modules whose parameters are in the groups of an optimizer: itself in their place, as long as they are not known."""
    return optimizer.holds or frozenset({optimizer})


def _stand_for_inner(obj: Optimizer) -> None:
    """An optimizer of the program that keeps another one makes its steps with that: it stands for it from here on, as SAM and Lookahead do."""
    for slot, value in obj.heap.items():
        inner = [each for each in refs(value, Optimizer) if each is not obj]
        for each in inner:
            each.merged = obj
            each.holds = obj.holds = obj.holds | (each.holds - {obj})
            obj.steps_by_inner = True
        if inner:
            obj.heap[slot] = ref(obj)


@construction(Optimizer)
def _built(interp: Interpreter, obj: Optimizer, args: Arguments, expr: ir.Call) -> None:
    place = 1 if obj.qualname in OF_SETTINGS_AND_MODEL else 0
    given = args.get(place, "params", "parameters", "model_or_params", "model") or NOTHING
    holds, exact = held(interp, given if given else NOTHING)
    # The groups of another optimizer are the parameters that it was given.
    obj.holds |= frozenset().union(*(_given(each) if isinstance(each, Optimizer) else {each} for each in holds))
    if obj.cls is not None:
        _stand_for_inner(obj)
    obj.uses_gradients = step_uses_gradients(interp, obj)
    obj.exact = exact
    obj.of_tensors = obj.with_tensors = only_tensors(given)
    obj.alternatives = len(given) > 1
    rate = next((a.value for a in expr.args if a.keyword == "lr"), None)
    obj.rate = ir.render(rate)
    obj.stateful = _has_state(obj, args)
    obj.needs_unscaled = _needs_unscaled(obj, args)
    if (written := iterators.argument(expr, place, "params")) is not None and _makes_groups(interp, obj):
        iterators.exhaust(interp, given, expr.node, "optimizer", written)
        iterators.exhaust_groups(interp, written, expr.node)
    interp.emit(Construct(), expr.node, {obj})


def _makes_groups(interp: Interpreter, obj: Optimizer) -> bool:
    """Whether a constructor goes through the parameters that it is given, as that of torch's base class does."""
    return obj.cls is None or any(base.startswith("torch.optim.") for base in classes.external_bases(interp, obj.cls))


transfer("optimizer")(builds(Optimizer))
