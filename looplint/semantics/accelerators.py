"""Objects around the loop: the Accelerator of accelerate, Fabric, the engine of DeepSpeed, apex."""

from __future__ import annotations

from looplint.domain.objects import Accelerator, Engine, Loader, Module, Obj
from looplint.domain.values import NONE, NOTHING, UNKNOWN, Arguments, Const, Ref, Tuple, Value, exact_items, ref
from looplint.flow.events import Clear, Clip, Construct, Step, Unscale
from looplint.interpreter import hooks, unfollowed
from looplint.interpreter.calls import builds
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import construction, method_transfer, methods_of, transfer
from looplint.semantics.gradients import clip
from looplint.semantics.parameters import held
from looplint.syntax import ir


@method_transfer("pass-through")
def _setup(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    return _pass_through(interp, f"{obj.kind}.{name}", args, expr)


@method_transfer("launch")
def _launch(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`fabric.launch(main, config)` runs `main(fabric, config)`."""
    if not args.positional or all(isinstance(a, Const) for a in args.positional[0]):
        return NONE
    given = args.handed_on([ref(obj), *args.positional[1:]])
    return interp.call(args.positional[0], given, expr)


@transfer("pass-through")
def _pass_through(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) == 1:
        return args.positional[0]
    flat: list[Value] = []
    for value in args.positional:
        items = exact_items(value)
        flat.extend(items if items is not None and qualname != "apex.amp.initialize" else [value])
    flat.extend(v for k, v in args.keywords.items() if k in ("models", "optimizers"))
    return frozenset({Tuple(tuple(flat))})


@method_transfer("clip")
def _accelerator_clip(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name == "clip_gradients":
        sources, _ = held(interp, args.positional[0] if args.positional else NOTHING)
        optimizers = {a.obj for v in args.positional[1:2] for a in v if isinstance(a, Ref)}
        interp.emit(Clip(), expr.node, frozenset(optimizers) or sources)
        return UNKNOWN
    return clip(interp, f"{obj.kind}.{name}", args, expr)


@method_transfer("unscale-all")
def _unscale_all(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.emit(Unscale(), expr.node, [a.obj for v in args.values() for a in v if isinstance(a, Ref)])
    return NONE


@transfer("deepspeed")
def _deepspeed(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    engine = interp.create(Engine, expr.node, "engine", qualname=qualname)
    engine.model = args.get(1, "model") or NOTHING
    interp.emit(Construct(), expr.node, {engine})
    scheduler = args.keywords.get("lr_scheduler") or UNKNOWN
    return frozenset({Tuple((ref(engine), ref(engine), UNKNOWN, scheduler))})


@method_transfer("step-and-clear")
def _step_and_clear(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.emit(Step(), expr.node, {obj})
    interp.emit(Clear(), expr.node, {obj})
    return NONE


def prepared(args: Arguments) -> None:
    """What a framework takes loaders and models for: it goes over loaders in its own way, tells their samplers the epoch itself, and places models."""
    for atom in (a for value in args.values() for a in value):
        if isinstance(atom, Ref) and isinstance(atom.obj, Loader | Module):
            atom.obj.prepared = True


@hooks.handed
def _handed(obj: Obj, args: Arguments) -> None:
    if isinstance(obj, Accelerator):
        prepared(args)


@construction(Accelerator)
def _built(interp: Interpreter, obj: Accelerator, args: Arguments, expr: ir.Call) -> None:
    obj.accumulates = args.keywords.get("gradient_accumulation_steps")


@methods_of(Accelerator)
def _method(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    return unfollowed.quiet(interp, args) if not interp.reachable(args.values()) else unfollowed.unknown_call(interp, Ref(obj), args, expr)


transfer("accelerator")(builds(Accelerator))
