"""Calls of methods of tensors, of parameters, and of objects of which nothing is known."""

from __future__ import annotations

from dataclasses import replace

from looplint.domain.tensors import combine, computed, detached, guess, under
from looplint.domain.values import (
    COMPUTED,
    NOTHING,
    NUMBERS,
    UNKNOWN,
    Arguments,
    Func,
    Number,
    Obj,
    Params,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    may_be_unknown,
)  # fmt: skip
from looplint.interpreter import calls
from looplint.interpreter.machine import Machine
from looplint.knowledge.lookup import tensor_method
from looplint.knowledge.pytorch import FETCHING, TENSOR_ONLY
from looplint.semantics import checkpoints
from looplint.semantics.device_copies import note_fetched, note_transfer, placed
from looplint.semantics.outcomes import of_function
from looplint.semantics.tensor_evidence import note_discarded
from looplint.syntax import ir

PAIRS = frozenset({"max", "min", "topk", "sort", "kthvalue", "mode", "median", "cummax", "cummin"})


def quiet(m: Machine, args: Arguments) -> Value:
    """Harmless code that cannot be followed: what it returns may depend on the tensors it was given."""
    tensor = combine(m.grad, args.values())
    return UNKNOWN if tensor is None else frozenset({guess(m.grad, tensor)})


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
            if not args.positional and "gradient" not in args.keywords:
                _one_element(m, expr)
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
        case "shape":
            return sizes(args, name)
        case "pure":
            return UNKNOWN
        case "requires-grad":
            return _ask_for_gradient(m, tensor, args, expr)
        case "sum" | "mean" as reduction:
            merged = combine(m.grad, [frozenset({tensor})]) or tensor
            whole = not args.positional and not args.keywords
            if whole and reduction == "mean":
                # A mean over everything that is left is a mean over the batch, whatever was summed up before along one dimension.
                merged = replace(merged, tags=merged.tags - {("sum", True)})
            return frozenset({replace(merged.tagged((reduction, True)), scalar=whole, made=tensor.made and COMPUTED)})
        case "collect":
            return UNKNOWN
    if name in ("to", "cuda", "float", "half", "clone", "contiguous", "squeeze", "view", "reshape", "cpu", "double"):
        return frozenset({replace(tensor, graph=under(m.grad, tensor.graph) if name != "to" else tensor.graph)})
    merged = combine(m.grad, [frozenset({tensor}), *args.values()]) or tensor
    if tensor.made or name in TENSOR_ONLY:
        merged = computed(merged)
    merged = replace(merged, outcomes=of_function(m, name, frozenset({tensor}), expr, own=True))
    if name in PAIRS:
        m.facts.scored |= tensor.origins
        return pair(merged, bool(args.values()))
    return frozenset({merged})


def sizes(args: Arguments, name: str) -> Value:
    """What a tensor says of its form: the numbers of all its dimensions, or one number."""
    return NUMBERS if name == "size" and not args.values() else frozenset({Number()})


def pair(tensor: Tensor, along: bool) -> Value:
    """Values and indices, where a reduction goes along a dimension; indices carry no graph."""
    if not along:
        return frozenset({replace(tensor, scalar=True)})
    return frozenset({Tuple((frozenset({tensor}), frozenset({detached(tensor)})))})


def backward(m: Machine, expr: ir.Call, losses: list[Value], args: Arguments, via: str = "") -> None:
    """Gradients flow to every module behind the losses."""
    tensor = combine(m.grad, losses)
    deps = frozenset().union(*(a.deps for v in losses for a in v if isinstance(a, Unknown)))
    sources = deps
    tags: frozenset[tuple[str, object]] = frozenset()
    if tensor is not None:
        sources |= tensor.sources
        tags = tensor.tags
        m.facts.trained |= tensor.forwards
        m.facts.supervising |= tensor.origins
        m.facts.accumulated_backward |= {value for tag, value in tensor.tags if tag in ("sum", "kept")}
    retain = args.get(1, "retain_graph") if not via else args.keywords.get("retain_graph")
    create = args.get(2, "create_graph") if not via else args.keywords.get("create_graph")
    m.emit(
        "backward", expr.node, sources, variant=via or _scaling(tags), retain_graph=flag(retain), create_graph=flag(create),
        forwards=tensor.forwards if tensor else frozenset(), tags=tags, loss=losses[0] if losses else NOTHING, via=via, repeated=m.comprehensions > 0,
        known=tensor is not None and ("unknown", True) not in tags and not any(may_be_unknown(v) for v in losses),
    )  # fmt: skip


def _one_element(m: Machine, expr: ir.Call) -> None:
    """What goes backward without a gradient of its own is a tensor of one element: torch refuses all others."""
    match expr.func:
        case ir.Attr(value=ir.Name(id=name)) if name in m.frame.locals:
            value = m.frame.locals[name]
            m.frame.locals[name] = frozenset(
                replace(a, scalar=True, made=a.made or COMPUTED) if isinstance(a, Tensor) else a for a in value
            )


def _scaling(tags: frozenset[tuple[str, object]]) -> str:
    """Whether a scaler has multiplied the loss: on every path, or on some."""
    names = {name for name, _ in tags}
    return "maybe-scaled" if "scaler?" in names else "scaled" if "scaler" in names else ""


def flag(value: Value | None) -> bool | None:
    if value is None:
        return False
    known = constant_of(value)
    return bool(known.value) if known is not None else None


def _ask_for_gradient(m: Machine, tensor: Tensor, args: Arguments, expr: ir.Call) -> Value:
    """`images.requires_grad_()`, in place: what is computed from them is differentiated by them."""
    known = constant_of(args.positional[0]) if args.positional else None
    if known is not None and not known.value:
        return frozenset({tensor})
    asked: Value = frozenset({replace(tensor.tagged(("input-grad", True)), graph="yes")})
    if isinstance(expr.func, ir.Attr) and isinstance(expr.func.value, ir.Name) and expr.func.value.id in m.frame.locals:
        m.frame.locals[expr.func.value.id] = asked
    return asked


def on_unknown(m: Machine, atom: Unknown, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Only what a method's name says beyond doubt is believed of an unknown object."""
    note_discarded(m, atom, name, args, expr)
    if name == "set_epoch":
        m.remark("set-epoch", expr.node, ())
    if name in ("get", "pop", "__getitem__") and args.positional:
        key = constant_of(args.positional[0])
        checkpoints.note_key(frozenset({atom}), key.value if key else None)
    if name in ("load_state_dict", "load_checkpoint", "restore") and args.values():
        m.emit("load", expr.node, atom.deps, states=checkpoints.states_in(args.values()), files=checkpoints.files_in(args.values()))
    if name == "backward" and not args.positional:
        backward(m, expr, [frozenset({atom})], args)
        return UNKNOWN
    if name == "requires_grad_" and not _may_be_applied(m, expr):
        return _ask_for_gradient(m, Tensor(), args, expr)
    if tensor_method(name) == "shape":
        return sizes(args, name)
    if name == "zero_grad" and not atom.deps:
        m.emit("clear", expr.node, (), certain=False, manual=True)
        return UNKNOWN
    if name in ("zero_grad", "step") and not args.positional and not args.keywords and atom.deps:
        m.emit("escape", expr.node, atom.deps, callee=ir.render(expr.func))
        return UNKNOWN
    if name == "zero_grad":
        m.emit("clear", expr.node, (), certain=False)
        return UNKNOWN
    if name == "zero_" and "grad" in ir.render(expr.func):
        m.emit("clear", expr.node, atom.deps, certain=False, manual=True)
        return UNKNOWN
    if name in ("softmax", "log_softmax", "sigmoid"):
        return frozenset({Tensor(atom.deps, under(m.grad, "maybe"), outcomes=of_function(m, name, UNKNOWN, expr, own=True))})
    if m.reachable(args.values()):
        return calls.unknown_call(m, atom, args, expr)
    for value in args.values():
        if any(isinstance(a, Func) for a in value):
            m.facts.deferred.append(value)
    tensor = combine(m.grad, args.values())
    if tensor is not None:
        return frozenset({guess(m.grad, tensor, atom.deps)})
    return frozenset({atom})


def _may_be_applied(m: Machine, expr: ir.Call) -> bool:
    """Whether the object of a method may be a module: the function calls it, or its parameters are asked for."""
    named = expr.func.value if isinstance(expr.func, ir.Attr) else None
    usage = m.frame.function.usage.get(named.id) if isinstance(named, ir.Name) else None
    return usage is None or usage.called or bool(usage.methods & {"parameters", "named_parameters", "modules", "eval", "train"})


def on_params(m: Machine, params: Params, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Methods of parameters and gradients: clearing, clipping or scaling them by hand."""
    if params.grad:
        match name:
            case "zero_" | "fill_":
                m.emit("clear", expr.node, params.sources, manual=True)
                if name == "fill_" and not _is_zero(args):
                    m.emit("backward", expr.node, params.sources, manual=True)
            case "clamp_" | "clip_":
                m.emit("clip", expr.node, params.sources, manual=True, max_norm=None)
            case "div_" | "mul_" | "add_" | "sub_" | "copy_":
                m.facts.scaled_gradients |= params.sources
    if name in ("detach", "clone", "cpu", "data", "norm", "sum", "pow", "mean", "item", "view", "flatten"):
        graph = "no" if name in ("detach", "item") or params.grad else under(m.grad, "yes")
        return frozenset({Tensor(params.sources, graph)})
    if name in ("items", "values", "extend", "append", "keys"):
        return frozenset({params})
    if name == "requires_grad_":
        freeze(params.sources, args)
    return frozenset({params})


def _is_zero(args: Arguments) -> bool:
    known = constant_of(args.get(0, "value") or NOTHING)
    return known is not None and known.value == 0


def freeze(modules: frozenset[Obj], args: Arguments) -> None:
    """`requires_grad_(False)`; with no argument, or with True, it is a thaw."""
    known = constant_of(args.positional[0]) if args.positional else None
    for obj in modules:
        obj.info["frozen"] = bool(args.positional) and known is not None and not known.value
