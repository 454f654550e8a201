"""What the methods of optimizers, modules, schedulers, scalers and accelerators do to the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from looplint.domain.membership import adopt, register
from looplint.domain.tensors import combine, under
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Func,
    Obj,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    exact_items,
    may_be_unknown,
    ref,
)
from looplint.interpreter import calls, objects
from looplint.interpreter.machine import Machine
from looplint.interpreter.transfers import method_transfer
from looplint.semantics import checkpoints, devices, methods, tensor_methods
from looplint.semantics.registration import note_part
from looplint.syntax import ir

Handler = Callable[[Machine, Obj, str, Arguments, ir.Call], Value]


def _one(obj: Obj) -> bool:
    """Whether the abstract object stands for one object at a time."""
    return not obj.many


def _clear(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("clear", expr.node, {obj}, certain=_one(obj), set_to_none=args.get(0, "set_to_none"))
    return NONE


def _step(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    closure = args.get(0, "closure")
    funcs = [a for a in closure if isinstance(a, Func)] if closure else []
    for func in funcs:
        calls.call_function(m, func, Arguments(), expr)
    unknown = closure is not None and not funcs and may_be_unknown(closure)
    m.emit("step", expr.node, {obj}, certain=_one(obj), closure=bool(funcs) or unknown)
    if unknown:
        m.emit("escape", expr.node, {obj}, callee=ir.render(expr.func))
    if funcs:
        return frozenset({Tensor(graph="no")})
    return UNKNOWN


def _step_and_clear(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("step", expr.node, {obj}, engine=True)
    m.emit("clear", expr.node, {obj}, engine=True)
    return NONE


def _backward_argument(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`accelerator.backward(loss)`, `engine.backward(loss)`, `optimizer.backward(loss)`."""
    if obj.kind == "module" and not args.positional:
        return calls.unknown_call(m, Ref(obj), Arguments([ref(obj)]), expr)
    losses = args.positional[:1] or [args.keywords.get("loss", NOTHING)]
    if obj.kind == "engine":
        losses = [frozenset({replace(combine(m.grad, losses) or Tensor(), sources=frozenset({obj}))})]
    tensor_methods.backward(m, expr, losses, args, via="" if obj.info.get("manual") else obj.kind)
    return NONE


def _add_params(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    from looplint.semantics.construction import held

    found, _ = held(m, args.positional[0] if args.positional else NOTHING)
    obj.info["holds"] = obj.info.get("holds", frozenset()) | found
    obj.info["extended"] = True
    return NONE


def _clip_own(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("clip", expr.node, {obj}, max_norm=args.get(0, "max_norm"))
    return UNKNOWN


def _schedule(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("schedule", expr.node, {obj}, certain=_one(obj), args=args, method=name)
    return NONE


# -- scaler


def _scale(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    value = args.get(0, "outputs") or UNKNOWN
    tensor = combine(m.grad, [value])
    enabled = constant_of(obj.info["enabled"]) if obj.info.get("enabled") else None
    if enabled is not None and not enabled.value:
        return value  # a disabled scaler multiplies nothing
    if tensor is None:
        deps = frozenset().union(*(a.deps for a in value if isinstance(a, Unknown)))
        tensor = Tensor(deps, under(m.grad, "maybe"), tags=frozenset({("unknown", True)}))
    return frozenset({replace(tensor.tagged(("scaler", obj)), scalar=True)})


def _scaler_step(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    optimizers = [a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)]
    subjects = [o for o in optimizers if o.kind == "optimizer"]
    m.emit("step", expr.node, subjects, certain=len(subjects) == 1 and _one(subjects[0]), variant="scaler", scaler=obj)
    return UNKNOWN


def _scaler_update(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("update", expr.node, {obj})
    return NONE


def _scaler_unscale(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    optimizers = [a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)]
    m.emit("unscale", expr.node, optimizers, scaler=obj)
    return NONE


# -- modules


def _mode(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "mode")
    known = constant_of(given) if given is not None else None
    if name == "train" and given is not None and known is None:
        m.emit("escape", expr.node, {obj}, callee=ir.render(expr.func), mode=True)
        return ref(obj)
    kind = "eval" if name == "eval" or (known is not None and not known.value) else "train"
    m.emit("eval" if kind == "eval" else "train", expr.node, {obj}, certain=_one(obj))
    return ref(obj)


def _forward_directly(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`model.forward(x)` gives what `model(x)` gives, without what the call does around it."""
    if obj.cls is not None and objects.find_member(m, obj.cls, "__call__") is not None:
        forward = objects.find_member(m, obj.cls, "forward")
        return calls.call(m, objects.bind(m, forward, obj), args, expr) if forward else UNKNOWN
    known = obj.cls is None or not objects.has_untold_base(m, obj.cls)
    if known and isinstance(expr.func, ir.Attr) and expr.func.attr == name:
        own = any(isinstance(a, Ref) and a.obj is obj for a in m.frame.instance)
        receiver = ir.path_of(expr.func.value) or ""
        m.remark("bypass", expr.node, {obj}, certain=not obj.info.get("part"), own=own, function=m.frame.function.name, receiver=receiver)
    return methods.call_object(m, obj, args, expr)


def _parameters(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    obj.info["asked"] = True
    return frozenset({Params(frozenset({obj}))})


def _named_parameters(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    from looplint.domain.values import Iter

    obj.info["asked"] = True
    return frozenset({Iter(frozenset({Tuple((UNKNOWN, frozenset({Params(frozenset({obj}), exact=False)})))}))})


def _submodules(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    from looplint.domain.values import Iter

    part = objects._child(m, obj, "[any]")
    for atom in part:
        if isinstance(atom, Ref):
            atom.obj.many = True
    element = frozenset({Tuple((UNKNOWN, part))}) if name.startswith("named") else part
    return frozenset({Iter(element)})


def _move(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    target = args.get(0, "device")
    device = "accelerator" if name == "cuda" else devices.kind(target)
    m.emit("move", expr.node, {obj}, certain=_one(obj), method=name, args=args, chosen=devices.is_choice(target or NOTHING), device=device)
    return ref(obj)


def _requires_grad(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    tensor_methods.freeze(frozenset({obj}), args)
    return ref(obj)


def _initialize(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`model.apply(f)`: what is done to every part of a model is, as a rule, to draw its weights again."""
    m.remark("initialize", expr.node, {obj})
    for value in args.values():
        if any(isinstance(a, Func) for a in value):
            m.facts.deferred.append(value)
    return ref(obj)


def _returns_self(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    return ref(obj)


def _add_module(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    obj.info["parts"] = None
    for value in args.values():
        adopt(obj, value)
        register(value, deep=True)
        note_part(m, obj, expr.node, ir.render(expr.func), value)
        for atom in value:
            if isinstance(atom, Ref) and atom.obj.kind == "module":
                m.write(obj, "[]", value)
    return ref(obj)


# -- accelerate and Fabric


def _unscale_all(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    m.emit("unscale", expr.node, [a.obj for v in args.values() for a in v if isinstance(a, Ref)])
    return NONE


def _setup(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if obj.info.get("accumulates") is None:
        obj.info["accumulates"] = True
    return calls.apply(m, "pass-through", f"{obj.kind}.{name}", args, expr)


def _accelerator_clip(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    from looplint.semantics.construction import held

    if name == "clip_gradients":
        sources, _ = held(m, args.positional[0] if args.positional else NOTHING)
        optimizers = {a.obj for v in args.positional[1:2] for a in v if isinstance(a, Ref)}
        m.emit("clip", expr.node, frozenset(optimizers) or sources, max_norm=args.get(2, "clip_val", "max_norm"))
        return UNKNOWN
    return calls.apply(m, "clip", f"{obj.kind}.{name}", args, expr)


def _clip_optimizer(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    optimizers = {a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)}
    m.emit("clip", expr.node, optimizers, max_norm=args.get(1, "gradient_clip_val"))
    return UNKNOWN


def _configured(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self.optimizers()` or `self.lr_schedulers()`: the object where there is one, else all of them in their order."""
    kind = "optimizer" if name == "optimizers" else "scheduler"
    found = list(dict.fromkeys(_of_kind(obj.info.get("configured", NOTHING), kind)))
    if len(found) == 1:
        return ref(found[0])
    return frozenset({Tuple(tuple(ref(o) for o in found))}) if found else UNKNOWN


def _of_kind(value: Value, kind: str) -> Iterator[Obj]:
    """The objects of a kind in what `configure_optimizers` returns: alone, in sequences, in dictionaries."""

    for item in exact_items(value) or ():
        yield from _of_kind(item, kind)
    for atom in value:
        if isinstance(atom, Ref) and atom.obj.kind == kind:
            yield atom.obj
        elif isinstance(atom, Ref) and atom.obj.kind == "dict":
            for slot in atom.obj.heap.values():
                yield from _of_kind(slot, kind)


METHODS: dict[str, Handler] = {
    "clip-optimizer": _clip_optimizer, "configured": _configured,
    "clear": _clear, "step": _step, "step-and-clear": _step_and_clear, "backward-argument": _backward_argument, "add-params": _add_params,
    "clip-own": _clip_own, "schedule": _schedule, "schedule-updates": _schedule, "state-dict": checkpoints.state_dict, "load-state": checkpoints.load_state, "scale": _scale,
    "scaler-step": _scaler_step, "scaler-update": _scaler_update, "scaler-unscale": _scaler_unscale, "train": _mode, "eval": _mode,
    "forward-directly": _forward_directly,
    "parameters": _parameters, "named-parameters": _named_parameters, "submodules": _submodules, "named-submodules": _submodules, "move": _move,
    "requires-grad": _requires_grad, "returns-self": _returns_self, "initialize": _initialize, "add-module": _add_module, "unscale-all": _unscale_all, "pass-through": _setup,
    "clip": _accelerator_clip,
}  # fmt: skip


for effect, handler in METHODS.items():
    method_transfer(effect)(handler)
