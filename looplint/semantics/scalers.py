"""Gradient scalers: a loss is scaled, gradients are unscaled, an optimizer steps, the scale is updated."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Obj, Optimizer, Scaler
from looplint.domain.tags import Mark, Scaled
from looplint.domain.tensors import combine, under
from looplint.domain.values import NONE, NOTHING, UNKNOWN, Arguments, Const, Number, Ref, Tensor, Unknown, Value, const, constant_of, refs
from looplint.flow.events import Clip, Construct, Step, Unscale, Update
from looplint.interpreter import classes, iterators, unfollowed
from looplint.interpreter.calls import build, own_call
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import application, construction, method_transfer, transfer
from looplint.semantics.autocast import note_outdated
from looplint.semantics.gradients import backward
from looplint.semantics.outcomes import tags_of_forward
from looplint.syntax import ir
from looplint.syntax.idle_scalers import is_idle_scaler

# What such a call hands on to `backward`, and what says whether this batch is the last of those that are added up.
_OF_BACKWARD = frozenset({"create_graph", "retain_graph"})
_OF_UPDATE = ("need_update", "update_grad")


@method_transfer("scale")
def _scale(interp: Interpreter, obj: Scaler, name: str, args: Arguments, expr: ir.Call) -> Value:
    value = args.get(0, "outputs") or UNKNOWN
    tensor = combine(interp.grad, [value])
    enabled = constant_of(obj.enabled) if obj.enabled else None
    if enabled is not None and not enabled.value:
        return value  # a disabled scaler multiplies nothing
    if tensor is None:
        deps = frozenset().union(*(a.deps for a in value if isinstance(a, Unknown)))
        tensor = Tensor(deps, under(interp.grad, "maybe"), tags=frozenset({Mark.UNKNOWN}))
    of_models = [tags_of_forward(interp, a) for a in value if isinstance(a, Tensor)]  # a loss that a model's own forward returns
    return frozenset({replace(tensor, tags=tensor.tags.union({Scaled(obj)}, *of_models), scalar=True)})


@method_transfer("scaler-step")
def _scaler_step(interp: Interpreter, obj: Scaler, name: str, args: Arguments, expr: ir.Call) -> Value:
    subjects = refs(args.get(0, "optimizer"), Optimizer) or _wrapped(interp, args.get(0, "optimizer"))
    alone = len(subjects) == 1 or (len(subjects) > 1 and _is_kept(interp, args, expr))
    interp.emit(Step(scaler=obj), expr.node, subjects, certain=alone and not any(o.many for o in subjects))
    return UNKNOWN


def _wrapped(interp: Interpreter, value: Value | None) -> list[Optimizer]:
    """The optimizer that an object of the program keeps, whose `step` sets a rate and steps it: NoamOpt of the annotated transformer."""
    found: dict[Optimizer, None] = {}
    for atom in value or NOTHING:
        if isinstance(atom, Ref) and atom.obj.cls is not None and classes.find_member(interp, atom.obj.cls, "step") is not None:
            found.update(dict.fromkeys(o for kept in atom.obj.heap.values() for o in refs(kept, Optimizer)))
    return list(found)


def _is_kept(interp: Interpreter, args: Arguments, expr: ir.Call) -> bool:
    """Whether the optimizers that an argument may be are ways in which one object keeps its optimizer, which is the same in each turn of a loop."""
    given = next((a.value for a in expr.args if not a.star), None)
    path = ir.path_of(given) if given is not None else None
    owner, _, attribute = (path or "").partition(".")
    owners = interp.frame.locals.get(owner, NOTHING)
    one = len(owners) == 1 and all(isinstance(a, Ref) and not a.obj.many for a in owners)
    changing = {name for loop in interp.loops for name in loop.assigned | loop.targets}
    return bool(attribute) and one and path is not None and not any(f"{path}.".startswith(f"{name}.") for name in changing)


@method_transfer("scaler-update")
def _scaler_update(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.emit(Update(), expr.node, {obj})
    return NONE


@method_transfer("scaler-unscale")
def _scaler_unscale(interp: Interpreter, obj: Scaler, name: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "optimizer") or NOTHING
    optimizers: list[Obj] = [*_wrapped(interp, given), *(a.obj for a in given if isinstance(a, Ref))]
    interp.emit(Unscale(scaler=obj), expr.node, optimizers)
    return NONE


@method_transfer("get-scale")
def _get_scale(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    return frozenset({Number(frozenset({"scale"}))})


@application(Scaler)
def _called(interp: Interpreter, obj: Scaler, args: Arguments, expr: ir.Call) -> Value:
    """`scaler(loss, optimizer, clip_grad=1.0, parameters=net.parameters())` of timm, and what is written after it: a whole update in one call."""
    own = own_call(interp, obj, args, expr)
    if own is not None:
        return own
    loss, subjects = args.get(0, "loss"), refs(args.get(1, "optimizer"), Optimizer)
    if loss is None or not subjects:
        return unfollowed.unknown_call(interp, Ref(obj), args, expr)
    scaled = _scale(interp, obj, "scale", Arguments([loss]), expr)
    backward(interp, expr, [scaled], Arguments([], {name: args.keywords[name] for name in _OF_BACKWARD & args.keywords.keys()}), "scaler")
    if (limit := args.keywords.get("clip_grad", NONE)) != NONE:
        interp.emit(Unscale(scaler=obj), expr.node, subjects)
        if not any(isinstance(a, Const) and a.value is None for a in limit):
            iterators.exhaust(
                interp, args.keywords.get("parameters", NOTHING), expr.node, "clip", iterators.argument(expr, -1, "parameters")
            )
        interp.emit(Clip(), expr.node, subjects, certain=not any(isinstance(a, Const) and a.value is None for a in limit))
    updates = [args.keywords[name] for name in _OF_UPDATE if name in args.keywords]
    always = all(known is not None and bool(known.value) for known in map(constant_of, updates))
    interp.emit(Step(scaler=obj), expr.node, subjects, certain=always and len(subjects) == 1 and not subjects[0].many)
    interp.emit(Update(), expr.node, {obj})
    return UNKNOWN


@transfer("scaler")
def _scaler(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    made = build(interp, Scaler, qualname, args, expr)
    note_outdated(interp, qualname, expr)
    return made


def switch_by(obj: Scaler, args: Arguments) -> None:
    """Note what the arguments of torch's constructor say of whether a scaler is on."""
    obj.enabled = args.keywords.get("enabled", UNKNOWN if args.starred else None)


@construction(Scaler)
def _built(interp: Interpreter, obj: Scaler, args: Arguments, expr: ir.Call) -> None:
    if obj.cls is not None and is_idle_scaler(obj.cls.cls):
        obj.enabled = const(False)
    elif obj.cls is None or classes.find_member(interp, obj.cls, "__init__") is None:  # else the base's is given it, where it is called
        switch_by(obj, args)
    obj.switch = next((a.value for a in expr.args if a.keyword == "enabled"), None)
    obj.condition = interp.frame.tests.get(obj.switch.id) if isinstance(obj.switch, ir.Name) else None
    interp.emit(Construct(), expr.node, {obj})
