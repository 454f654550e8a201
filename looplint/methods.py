"""Calls of methods of objects that the tables know: optimizers, modules, schedulers, scalers, tensors, containers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from looplint import calls, checkpoints, contexts, ir, objects
from looplint.elements import element_of
from looplint.knowledge.lookup import tensor_method
from looplint.knowledge.pytorch import SCORES, TENSOR_ONLY
from looplint.machine import Machine
from looplint.membership import ready, register
from looplint.outcomes import of_forward, of_function, of_value, resolve
from looplint.tensorlike import note_discarded
from looplint.tensors import combine, computed, detached, under
from looplint.texts import note_arguments
from looplint.transfers import FETCHING, note_fetched, note_transfer, placed
from looplint.values import (
    COMPUTED, NOTHING, UNKNOWN, Arguments, Const, Func, Iter, Method, Number, Obj, Params, Ref, Tensor, Tuple, Unknown, Value, constant_of, join, may_be_unknown, ref,
)  # fmt: skip


def call_method(m: Machine, method: Method, args: Arguments, expr: ir.Call) -> Value:
    name = method.name
    match method.obj:
        case Tensor():
            return on_tensor(m, method.obj, name, args, expr)
        case Params():
            return on_params(m, method.obj, name, args, expr)
        case Ref():
            return _on_object(m, method.obj.obj, name, args, expr)
        case Unknown():
            return _on_unknown(m, method.obj, name, args, expr)
        case Iter():
            return method.obj.element if name in ("__next__", "next") else _quiet(m, args)
        case Const():
            if name == "format":
                note_arguments(m, expr.args, args.positional)
            return UNKNOWN
    return calls.unknown_call(m, method, args, expr)


def _quiet(m: Machine, args: Arguments) -> Value:
    """Harmless code that cannot be followed: what it returns may depend on the tensors it was given."""
    tensor = combine(m, args.values())
    return UNKNOWN if tensor is None else frozenset({guess(m, tensor)})


def guess(m: Machine, tensor: Tensor, deps: frozenset[Obj] = frozenset()) -> Tensor:
    """A tensor that may or may not still have the graph of another one."""
    if m.grad is False or (tensor.graph == "no" and not deps):
        return Tensor(origins=tensor.origins)
    return Tensor(tensor.sources | deps, "maybe", tensor.forwards, tensor.tags, origins=tensor.origins)

# -- tensors


def on_tensor(m: Machine, tensor: Tensor, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method of a tensor, or of a structure of tensors."""
    note_discarded(m, tensor, name, args, expr)
    if name in FETCHING:
        note_fetched(m, tensor, f"{ir.render(expr.func)}()", expr)
    elif name in ("to", "cuda"):
        note_transfer(m, tensor, name, args, expr)
        tensor = placed(tensor, name)
    elif name == "pin_memory":
        return frozenset({placed(tensor, name)})
    match tensor_method(name):
        case "backward":
            backward(m, expr, [frozenset({tensor})], args)
            return UNKNOWN
        case "number":
            if name in ("item", "equal"):
                m.facts.scored |= tensor.origins
            return frozenset({Number()})
        case "detach":
            if name not in ("detach", "detach_", "long", "int", "bool", "byte"):
                m.facts.scored |= tensor.origins
            if name in ("eq", "ne"):
                m.facts.compared |= tensor.origins
            kept = tensor.outcomes if name in ("detach", "detach_") else frozenset()
            return frozenset({replace(detached(tensor), outcomes=kept)})
        case "shape" | "pure":
            return UNKNOWN
        case "requires-grad":
            return frozenset({replace(tensor.tagged(("input-grad", True)), graph="yes")})
        case "sum" | "mean" as reduction:
            merged = combine(m, [frozenset({tensor})]) or tensor
            whole = not args.positional and not args.keywords
            if whole and reduction == "mean":
                # A mean over everything that is left is a mean over the batch, whatever was summed up before along one dimension.
                merged = replace(merged, tags=merged.tags - {("sum", True)})
            return frozenset({replace(merged.tagged((reduction, True)), scalar=whole, made=tensor.made and COMPUTED)})
        case "collect":
            return UNKNOWN
    if name in ("to", "cuda", "float", "half", "clone", "contiguous", "squeeze", "view", "reshape", "cpu", "double"):
        return frozenset({replace(tensor, graph=under(m, tensor.graph) if name != "to" else tensor.graph)})
    merged = combine(m, [frozenset({tensor}), *args.values()]) or tensor
    if tensor.made or name in TENSOR_ONLY:
        merged = computed(merged)
    merged = replace(merged, outcomes=of_function(m, name, frozenset({tensor}), expr, own=True))
    if name in PAIRS:
        m.facts.scored |= tensor.origins
        return pair(merged, bool(args.values()))
    return frozenset({merged})


PAIRS = frozenset({"max", "min", "topk", "sort", "kthvalue", "mode", "median", "cummax", "cummin"})


def pair(tensor: Tensor, along: bool) -> Value:
    """Values and indices, where a reduction goes along a dimension; indices carry no graph."""
    if not along:
        return frozenset({replace(tensor, scalar=True)})
    return frozenset({Tuple((frozenset({tensor}), frozenset({detached(tensor)})))})


def backward(m: Machine, expr: ir.Call, losses: list[Value], args: Arguments, via: str = "") -> None:
    """Gradients flow to every module behind the losses."""
    tensor = combine(m, losses)
    deps = frozenset().union(*(a.deps for v in losses for a in v if isinstance(a, Unknown)))
    sources = deps
    tags: frozenset[tuple[str, object]] = frozenset()
    if tensor is not None:
        sources |= tensor.sources
        tags = tensor.tags
        m.facts.trained |= tensor.forwards
        m.facts.accumulated_backward |= {value for tag, value in tensor.tags if tag in ("sum", "kept")}
    retain = args.get(1, "retain_graph") if not via else args.keywords.get("retain_graph")
    create = args.get(2, "create_graph") if not via else args.keywords.get("create_graph")
    m.emit(
        "backward", expr.node, sources, variant=via or _scaling(tags), retain_graph=_flag(retain), create_graph=_flag(create),
        forwards=tensor.forwards if tensor else frozenset(), tags=tags, loss=losses[0] if losses else NOTHING, via=via, repeated=m.comprehensions > 0,
        known=tensor is not None and ("unknown", True) not in tags and not any(may_be_unknown(v) for v in losses),
    )  # fmt: skip


def _scaling(tags: frozenset[tuple[str, object]]) -> str:
    """Whether a scaler has multiplied the loss: on every path, or on some."""
    names = {name for name, _ in tags}
    return "maybe-scaled" if "scaler?" in names else "scaled" if "scaler" in names else ""


def _flag(value: Value | None) -> bool | None:
    if value is None:
        return False
    known = constant_of(value)
    return bool(known.value) if known is not None else None


def _on_unknown(m: Machine, atom: Unknown, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Only what a method's name says beyond doubt is believed of an unknown object."""
    note_discarded(m, atom, name, args, expr)
    if name == "set_epoch":
        m.remark("set-epoch", expr.node, ())
    if name in ("get", "pop", "__getitem__") and args.positional:
        key = constant_of(args.positional[0])
        checkpoints.note_key([atom], key.value if key else None)
    if name in ("load_state_dict", "load_checkpoint", "restore") and args.values():
        m.emit("load", expr.node, atom.deps, states=checkpoints.states_in(args.values()), files=checkpoints.files_in(args.values()))
    if name == "backward" and not args.positional:
        backward(m, expr, [frozenset({atom})], args)
        return UNKNOWN
    if name in ("zero_grad", "step") and not args.positional and not args.keywords and atom.deps:
        m.emit("escape", expr.node, atom.deps, callee=ir.render(expr.func))
        return UNKNOWN
    if name == "zero_" and "grad" in ir.render(expr.func):
        m.emit("clear", expr.node, atom.deps, certain=False, manual=True)
        return UNKNOWN
    if name in ("softmax", "log_softmax", "sigmoid"):
        return frozenset({Tensor(atom.deps, under(m, "maybe"), outcomes=of_function(m, name, UNKNOWN, expr, own=True))})
    if m.reachable(args.values()):
        return calls.unknown_call(m, atom, args, expr)
    for value in args.values():
        if any(isinstance(a, Func) for a in value):
            m.facts.deferred.append(value)
    tensor = combine(m, args.values())
    if tensor is not None:
        return frozenset({guess(m, tensor, atom.deps)})
    return frozenset({atom})

# -- objects


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
        return _quiet(m, args)
    member = objects.find_member(m, obj.cls, "forward") if obj.kind == "framework" and obj.cls is not None and m.aside else None
    if member is not None:
        return calls.call(m, objects.bind(m, member, obj), args, expr)  # `self(x)` in the hooks of a framework
    return calls.unknown_call(m, Ref(obj), args, expr)


def forward(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """A module is applied: its result depends on its parameters and on its inputs."""
    inputs = combine(m, args.values())
    deps = frozenset().union(*(a.deps for v in args.values() for a in v if isinstance(a, Unknown)))
    frozen = all(o.info.get("frozen") for o in obj.lineage()) or obj.info.get("frozen", False)
    graph = under(m, "yes" if not frozen else inputs.graph if inputs else "no")
    half = "half" if m.autocast is not None and m.autocast.half else ""
    event = m.emit("forward", expr.node, {obj}, variant=half, frozen=frozen, inputs=inputs, repeated=_repeated(m, expr), autocast=m.autocast, outside=m.frame.outside)
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
        scored = combine(m, args.values())
        if scored is not None:
            m.facts.scored |= scored.origins
            m.facts.compared |= scored.origins
        return calls.call(m, objects.bind(m, member, obj), args, expr)
    _score(m, obj, function or (obj.qualname if obj is not None else ""), args, expr)
    tensor = combine(m, args.values())
    deps = frozenset().union(*(a.deps for v in args.values() for a in v if isinstance(a, Unknown)))
    if tensor is None:
        return frozenset({Tensor(deps, under(m, "maybe"), scalar=True, made=COMPUTED)})
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
        from looplint import effects

        return effects.apply_method(m, effect, obj, name, args, expr)
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
            return _quiet(m, args)
        case "optimizer" | "scheduler" | "scaler":
            return calls.unknown_call(m, Ref(obj), Arguments([ref(obj), *args.positional], args.keywords), expr)
        case "accelerator":
            return _quiet(m, args) if not m.reachable(args.values()) else calls.unknown_call(m, Ref(obj), args, expr)
        case "instance" | "framework":
            return calls.unknown_call(m, Ref(obj), Arguments([ref(obj), *args.positional], args.keywords), expr)
    return calls.unknown_call(m, Ref(obj), args, expr)


def _sampled(m: Machine, obj: Obj, name: str, args: Arguments) -> Value:
    """A sample or a log-probability of a distribution depends on its parameters; sample() gives no graph."""
    tensor = combine(m, [*obj.heap.values(), *args.values()])
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
        return frozenset({combine(m, args.values()) or Tensor(frozenset({obj}), under(m, "yes"))})
    if objects.effect_of(obj, name) is not None:
        return _on_object(m, obj, name, args, expr)
    if obj.kind in ("dataset", "framework", "module"):
        return _quiet(m, args)
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
    from looplint.values import const

    items = _slots(obj)
    if items is not None:
        return frozenset({Tuple(tuple(frozenset({Tuple((const(key), value))}) for key, value in items))})
    return frozenset({Iter(frozenset({Tuple((UNKNOWN, obj.heap.get("[]", UNKNOWN)))}))})


def on_params(m: Machine, params: Params, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Methods of parameters and gradients: clearing, clipping or scaling them by hand."""
    if params.grad:
        match name:
            case "zero_" | "fill_":
                m.emit("clear", expr.node, params.sources, manual=True)
            case "clamp_" | "clip_":
                m.emit("clip", expr.node, params.sources, manual=True, max_norm=None)
            case "div_" | "mul_" | "add_" | "sub_" | "copy_":
                m.facts.scaled_gradients |= params.sources
    if name in ("detach", "clone", "cpu", "data", "norm", "sum", "pow", "mean", "item", "view", "flatten"):
        graph = "no" if name in ("detach", "item") or params.grad else under(m, "yes")
        return frozenset({Tensor(params.sources, graph)})
    if name in ("items", "values", "extend", "append", "keys"):
        return frozenset({params})
    if name == "requires_grad_":
        freeze(params.sources, args)
    return frozenset({params})


def freeze(modules: frozenset[Obj], args: Arguments) -> None:
    """`requires_grad_(False)`; with no argument, or with True, it is a thaw."""
    known = constant_of(args.positional[0]) if args.positional else None
    for obj in modules:
        obj.info["frozen"] = bool(args.positional) and known is not None and not known.value
