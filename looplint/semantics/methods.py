"""Calls of objects and of their methods: optimizers, modules, losses, schedulers, scalers, containers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from looplint.domain.membership import ready, register
from looplint.domain.outcomes import of_value
from looplint.domain.tensors import combine, detached, under
from looplint.domain.values import (
    COMPUTED,
    NOTHING,
    UNKNOWN,
    Arguments,
    Const,
    Func,
    Graph,
    Iter,
    Method,
    Obj,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    join,
    ref,
)  # fmt: skip
from looplint.interpreter import calls, hooks, objects, transfers
from looplint.interpreter.elements import element_of
from looplint.interpreter.machine import Machine
from looplint.knowledge.lookup import tensor_method
from looplint.knowledge.pytorch import MEASURING, SCORES
from looplint.semantics import contexts, loaders
from looplint.semantics.formatting import note_arguments
from looplint.semantics.outcomes import of_forward, resolve
from looplint.semantics.tensor_methods import on_params, on_tensor, on_unknown, quiet, sizes
from looplint.syntax import ir


@hooks.method_called
def call_method(m: Machine, method: Method, args: Arguments, expr: ir.Call) -> Value:
    name = method.name
    if name == "state_dict" and m.candidates and not isinstance(method.obj, Ref):
        m.emit("snapshot", expr.node, ())  # of an object that is not known: here the call gives no state of the others
    match method.obj:
        case Tensor():
            return on_tensor(m, method.obj, name, args, expr)
        case Params():
            return on_params(m, method.obj, name, args, expr)
        case Ref():
            return _on_object(m, method.obj.obj, name, args, expr)
        case Unknown():
            return on_unknown(m, method.obj, name, args, expr)
        case Method() if tensor_method(name) == "shape":
            return sizes(args, name)
        case Iter():
            return method.obj.element if name in ("__next__", "next") else quiet(m, args)
        case Const():
            if name == "format":
                note_arguments(m, expr.args, args.positional)
            return UNKNOWN
    return calls.unknown_call(m, method, args, expr)


@hooks.object_called
def call_object(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """`obj(...)`: a forward, a loss, or a project class's `__call__`."""
    if obj.kind in ("module", "engine"):
        if obj.info.get("part") and obj.symbolic and not args.values():
            # `model.part()` without an input is a method that is not known, not a submodule that is applied.
            return frozenset({Unknown(frozenset({obj.parent or obj}))})
        return forward(m, obj, args, expr)
    if obj.kind == "loss":
        return loss(m, obj, args, expr)
    if obj.cls is not None:
        member = objects.find_member(m, obj.cls, "__call__")
        if member is not None:
            bound = objects.bind(m, member, obj)
            return calls.call(m, bound, args, expr)
    if obj.kind in ("metric", "transform", "dataset", "distribution"):
        return quiet(m, args)
    member = objects.find_member(m, obj.cls, "forward") if obj.kind == "framework" and obj.cls is not None and m.aside else None
    if member is not None:
        return calls.call(m, objects.bind(m, member, obj), args, expr)  # `self(x)` in the hooks of a framework
    return calls.unknown_call(m, Ref(obj), args, expr)


def forward(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """A module is applied: its result depends on its parameters and on its inputs."""
    inputs = combine(m.grad, args.values())
    deps = frozenset().union(*(a.deps for v in args.values() for a in v if isinstance(a, Unknown)))
    frozen = all(o.info.get("frozen") for o in obj.lineage()) or obj.info.get("frozen", False)
    # What code that cannot be followed returns may be a number as well.
    measured = obj.info.get("part") and isinstance(obj.key, tuple) and obj.key[-1] in MEASURING
    trained: Graph = "maybe" if measured or any(o.info.get("foreign") for o in obj.lineage()) else "yes"
    graph = under(m.grad, trained if not frozen else inputs.graph if inputs else "no")
    half = "half" if m.autocast is not None and m.autocast.half else ""
    event = m.emit(
        "forward",
        expr.node,
        {obj},
        variant=half,
        frozen=frozen,
        inputs=inputs,
        repeated=_repeated(m, expr),
        autocast=m.autocast,
        outside=m.frame.outside,
    )
    forwards = frozenset({event.key}) if event is not None else frozenset()
    origins = forwards
    tags: frozenset[tuple[str, object]] = frozenset()
    sources = frozenset({obj}) | deps
    if inputs is not None:
        forwards |= inputs.forwards
        origins |= inputs.origins
        sources |= inputs.sources
        tags = frozenset(t for t in inputs.tags if t[0] in ("input-grad", "batch", "sum", "kept"))
    for value in args.values():
        for atom in value:
            if isinstance(atom, Func):
                m.facts.deferred.append(frozenset({atom}))
    outcomes = of_forward(m, obj, args, expr)
    if graph == "no":
        return frozenset({Tensor(tags=tags, origins=origins, outcomes=outcomes)})
    return frozenset({Tensor(sources, graph, forwards, tags, origins=origins, outcomes=outcomes)})


def _repeated(m: Machine, expr: ir.Call) -> bool:
    """Whether a forward does the same in every turn of its loop: what differs then is chance (Monte-Carlo dropout, timing)."""
    if m.repetitions:
        return True
    loop = m.loops[-1] if m.loops else None
    if loop is None or loop.frame != m.frame.ctx or not loop.iterates.startswith("range("):
        return False
    return not any(ir.paths_in(a.value) & loop.assigned for a in expr.args)


def loss(m: Machine, obj: Obj | None, args: Arguments, expr: ir.Call, function: str = "") -> Value:
    """A loss function is applied. A project's own is followed into its forward."""
    member = objects.find_member(m, obj.cls, "forward") if obj is not None and obj.cls is not None else None
    if obj is not None and member is not None:
        scored = combine(m.grad, args.values())
        if scored is not None:
            m.facts.scored |= scored.origins
            m.facts.compared |= scored.origins
        return calls.call(m, objects.bind(m, member, obj), args, expr)
    _score(m, obj, function or (obj.qualname if obj is not None else ""), args, expr)
    tensor = combine(m.grad, args.values())
    deps = frozenset().union(*(a.deps for v in args.values() for a in v if isinstance(a, Unknown)))
    if tensor is None:
        return frozenset({Tensor(deps, under(m.grad, "maybe"), scalar=True, made=COMPUTED)})
    reduction = args.keywords.get("reduction") or (obj.info.get("reduction") if obj else None)
    known = constant_of(reduction) if reduction else None
    scalar = known is None or known.value != "none"
    m.facts.scored |= tensor.origins
    m.facts.compared |= tensor.origins
    result = replace(tensor, scalar=scalar, sources=tensor.sources | deps, made=COMPUTED, tags=_unscaled(tensor)).tagged(("loss", True))
    if known is not None and known.value == "sum":
        result = result.tagged(("sum-reduction", True))
    return frozenset({result})


def _score(m: Machine, obj: Obj | None, qualname: str, args: Arguments, expr: ir.Call) -> None:
    """Remark what the prediction came out of, where that matters to the loss."""
    function = SCORES.get(qualname.rpartition(".")[2]) if qualname.startswith("torch.nn.") else None
    if function is not None:
        outcomes = resolve(m, of_value(args.get(0, "input"))) or frozenset()
        m.remark("score", expr.node, {obj} if obj is not None else (), function=function, outcomes=outcomes)


def _unscaled(tensor: Tensor) -> frozenset[tuple[str, Any]]:
    """The tags of what a loss is computed from, without those that say how its numbers were scaled: the loss is scaled by itself."""
    return frozenset(t for t in tensor.tags if t[0] != "scaled" and t not in (("sum", True), ("mean", True)))


def _on_object(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    if name.startswith("super."):
        return _on_super(m, obj, name[6:], args, expr)
    if obj.kind in ("list", "dict"):
        return _on_container(m, obj, name, args, expr)
    effect = objects.effect_of(obj, name)
    if effect is not None:
        return apply_method(m, effect, obj, name, args, expr)
    match obj.kind:
        case "sampler" | "loader" if name == "set_epoch":
            m.remark("set-epoch", expr.node, {obj})
            return UNKNOWN
        case "loader" | "dataset":
            if m.loops and name not in ("__next__", "next", "__iter__", "__len__"):
                obj.info["changing"] = True
            return objects.element(m, obj) if name in ("__next__", "next") else _dataset_method(m, obj, args)
        case "distribution":
            return _sampled(m, obj, name, args)
        case "state":
            return frozenset({Iter(frozenset({Tuple((UNKNOWN, UNKNOWN))}))}) if name == "items" else UNKNOWN
        case "writer" | "metric" | "transform" | "sampler" | "framework-object":
            return quiet(m, args)
        case "optimizer" | "scheduler" | "scaler":
            return calls.unknown_call(m, Ref(obj), Arguments([ref(obj), *args.positional], args.keywords), expr)
        case "accelerator":
            return quiet(m, args) if not m.reachable(args.values()) else calls.unknown_call(m, Ref(obj), args, expr)
        case "instance" | "framework":
            return calls.unknown_call(m, Ref(obj), Arguments([ref(obj), *args.positional], args.keywords), expr)
    return calls.unknown_call(m, Ref(obj), args, expr)


def _sampled(m: Machine, obj: Obj, name: str, args: Arguments) -> Value:
    """A sample or a log-probability of a distribution depends on its parameters; sample() gives no graph."""
    tensor = combine(m.grad, [*obj.heap.values(), *args.values()])
    if tensor is None:
        return UNKNOWN
    return frozenset({detached(tensor) if name == "sample" else tensor})


def _dataset_method(m: Machine, obj: Obj, args: Arguments) -> Value:
    return ref(obj) if not args.values() or all(isinstance(a, Const | Func | Unknown) for v in args.values() for a in v) else UNKNOWN


def _on_super(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method of a library's base class."""
    if name == "__init__":
        ready(ref(obj))
        for value in args.values():
            register(value, deep=True)
        return UNKNOWN
    if obj.kind == "module" and name in ("__call__", "forward"):
        return frozenset({combine(m.grad, args.values()) or Tensor(frozenset({obj}), under(m.grad, "yes"))})
    if objects.effect_of(obj, name) is not None:
        return _on_object(m, obj, name, args, expr)
    if obj.kind in ("dataset", "framework", "module"):
        return quiet(m, args)
    return calls.unknown_call(m, Ref(obj), Arguments([ref(obj), *args.positional], args.keywords), expr)


def _on_container(m: Machine, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    match obj.kind, name:
        case "list", "append" | "add" | "appendleft" | "insert" | "extend":
            value = args.positional[-1] if args.positional else NOTHING
            if name == "extend":
                value = element_of(m, value)
            value = contexts.keep(m, expr.node, ref(obj), value, None)
            if m.loops == contexts.born_in(obj) and not m.guards and obj.info.get("items") is not None and name == "append":
                # In straight-line code the list stays exactly known; the same call seen twice adds once.
                seen = obj.info.setdefault("appended", {})
                seen[id(expr), m.frame.ctx] = value
                base = obj.info.setdefault("display", obj.info["items"])
                obj.info["items"] = (*base, *seen.values())
                m.write(obj, "[]", value)
                return UNKNOWN
            obj.info["items"] = None
            obj.info["changed"] = True
            m.write(obj, "[]", value)
            return UNKNOWN
        case "list", "pop" | "popleft":
            obj.info["items"] = None
            return obj.heap.get("[]", UNKNOWN)
        case "list", "copy":
            return ref(obj)
        case "list", _:
            return UNKNOWN
        case "dict", "items":
            return _pairs(obj)
        case "dict", "values":
            items = _slots(obj)
            if items is not None:
                return frozenset({Tuple(tuple(v for _, v in items))})
            return frozenset({Iter(obj.heap.get("[]", UNKNOWN))})
        case "dict", "get" | "pop" | "setdefault":
            key = constant_of(args.positional[0]) if args.positional else None
            default = args.positional[1] if len(args.positional) > 1 else NOTHING
            if name == "setdefault" and default:
                m.write(obj, f"={key.value}" if key else "[]", default)
            found = objects.item(m, obj, key)
            return join(found, default) if default and name != "setdefault" else found
        case "dict", "update":
            for value in args.values():
                contexts.keep(m, expr.node, ref(obj), value, None)
                for atom in value:
                    if isinstance(atom, Ref) and atom.obj.kind == "dict":
                        for slot, stored in atom.obj.heap.items():
                            m.write(obj, slot, stored)
            obj.info["changed"] = True
            return UNKNOWN
        case "dict", "copy":
            return ref(obj)
    return UNKNOWN


def _slots(obj: Obj) -> list[tuple[str, Value]] | None:
    """The entries of a dict that is fully known, in order."""
    if not obj.info.get("exact") or obj.info.get("changed"):
        return None
    return [(slot[1:], value) for slot, value in obj.heap.items() if slot.startswith("=")]


def _pairs(obj: Obj) -> Value:
    from looplint.domain.values import const

    items = _slots(obj)
    if items is not None:
        return frozenset({Tuple(tuple(frozenset({Tuple((const(key), value))}) for key, value in items))})
    return frozenset({Iter(frozenset({Tuple((UNKNOWN, obj.heap.get("[]", UNKNOWN)))}))})


def apply_method(m: Machine, effect: str, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Apply the effect of a method of an object of the tables."""
    if obj.kind == "accelerator":
        loaders.prepared(args)
    handler = transfers.METHODS.get(effect)
    if handler is not None:
        return handler(m, obj, name, args, expr)
    return calls.apply(m, effect, f"{obj.kind}.{name}", args, expr)
