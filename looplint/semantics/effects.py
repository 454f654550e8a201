"""What the effects of the knowledge tables do: one small function per effect, found by its name."""

from __future__ import annotations

from dataclasses import replace

from looplint.domain.membership import ready, register
from looplint.domain.tensors import combine, computed, detached, sure, under
from looplint.domain.values import (
    COMPUTED,
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Context,
    External,
    Func,
    Iter,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Value,
    const,
    constant_of,
    exact_items,
    join,
)
from looplint.interpreter import calls
from looplint.interpreter.elements import element_of
from looplint.interpreter.machine import Effect, Machine
from looplint.interpreter.transfers import transfer
from looplint.knowledge.lookup import is_functional_loss
from looplint.semantics import autocast, builtins, checkpoints, construction, devices, methods, tensor_methods
from looplint.semantics.construction import held
from looplint.semantics.device_copies import note_fetched, note_released, note_waited
from looplint.semantics.formatting import note_arguments
from looplint.semantics.outcomes import of_function
from looplint.syntax import ir


def _pure(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Nothing happens to what it is given. Functions among its arguments may be called later."""
    return calls.put_off(m, args)


def _same(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return args.get(0, "module", "model", "iterable") or UNKNOWN


def _base_constructor(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`nn.Module.__init__(self)`."""
    for value in args.positional[:1]:
        ready(value)
    for value in args.positional[1:]:
        register(value, deep=True)
    return NONE


def _compiled(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A scripted or traced module: the same parameters, in a program of its own."""
    for atom in _same(m, qualname, args, expr):
        if isinstance(atom, Ref):
            atom.obj.info["compiled"] = True
    return _same(m, qualname, args, expr)


def _pass_through(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) == 1:
        return args.positional[0]
    flat: list[Value] = []
    for value in args.positional:
        items = exact_items(value)
        flat.extend(items if items is not None and qualname != "apex.amp.initialize" else [value])
    flat.extend(v for k, v in args.keywords.items() if k in ("models", "optimizers"))
    return frozenset({Tuple(tuple(flat))})


def _tensor(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if is_functional_loss(qualname):
        return methods.loss(m, None, args, expr, qualname)
    if qualname.startswith("builtins."):
        inner = [join(NOTHING, _element(m, v)) if not any(isinstance(a, Tensor) for a in v) else v for v in args.values()]
        tensor = combine(m.grad, inner)
        if tensor is None:
            return UNKNOWN
        return frozenset({computed(tensor) if sure(inner) else tensor})
    of_torch = qualname.startswith("torch.")
    tensor = combine(m.grad, args.values())
    if tensor is None:
        params = [a for v in args.values() for a in v if isinstance(a, Params)]
        if params:
            return frozenset(
                {Tensor(frozenset().union(*(p.sources for p in params)), under(m.grad, "no" if any(p.grad for p in params) else "yes"))}
            )
        needs = args.keywords.get("requires_grad")
        known = constant_of(needs) if needs else None
        given = args.get(0, "input") or UNKNOWN
        outcomes = of_function(m, qualname.rpartition(".")[2], given, expr) if of_torch else frozenset()
        made = Tensor(made=COMPUTED if of_torch else frozenset(), outcomes=outcomes)
        return (
            frozenset({replace(made, graph="yes", tags=frozenset({("input-grad", True)}))}) if known and known.value else frozenset({made})
        )
    if of_torch:
        given = args.get(0, "input") or UNKNOWN
        tensor = replace(computed(tensor), outcomes=of_function(m, qualname.rpartition(".")[2], given, expr))
    if qualname.rpartition(".")[2] in tensor_methods.PAIRS:
        m.facts.scored |= tensor.origins
        return tensor_methods.pair(tensor, len(args.positional) > 1 and len(_tensor_arguments(args)) < 2 or "dim" in args.keywords)
    return frozenset({tensor})


def _tensor_arguments(args: Arguments) -> list[Value]:
    return [v for v in args.positional if any(isinstance(a, Tensor) for a in v)]


def _element(m: Machine, value: Value) -> Value:
    if any(isinstance(a, Ref | Tuple | Iter) for a in value):
        return element_of(m, value)
    return value


def _detached(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    tensor = combine(m.grad, args.values())
    made = COMPUTED if qualname.startswith("torch.") else frozenset()
    if tensor is not None:
        m.facts.scored |= tensor.origins
        if qualname.rpartition(".")[2] in ("eq", "ne", "equal"):
            m.facts.compared |= tensor.origins
        return frozenset({replace(detached(tensor), made=made)})
    needs = args.keywords.get("requires_grad")
    known = constant_of(needs) if needs else None
    if known is not None and known.value:
        return frozenset({Tensor(graph="yes", tags=frozenset({("input-grad", True)}), made=made)})
    return frozenset({Tensor(made=made)})


def _number(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    units = frozenset().union(*(a.units for v in args.values() for a in v if isinstance(a, Number)))
    known = constant_of(args.positional[0]) if len(args.positional) == 1 else None
    if known is not None and known.value in ("inf", "Infinity") and qualname == "builtins.float":
        return const(float("inf"))
    if known is not None and isinstance(known.value, int | float) and qualname == "builtins.int":
        return const(int(known.value)) if abs(known.value) < 1e15 else UNKNOWN
    for atom in args.positional[0] if args.positional and qualname in ("builtins.float", "builtins.int", "builtins.round") else ():
        if isinstance(atom, Tensor):
            note_fetched(m, atom, ir.render(expr), expr)
    return frozenset({Number(units)})


def _waited(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_waited(m, expr)
    return NONE


def _released(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_released(m, expr)
    return NONE


def _text(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_arguments(m, expr.args, args.positional)
    return UNKNOWN


def _autograd_grad(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """torch.autograd.grad fills no .grad, but what it differentiates is trained or attacked, not evaluated."""
    tensor = combine(m.grad, args.values()) or Tensor()
    inputs = args.get(1, "inputs") or NOTHING
    (m.facts.attacked if _of_tensors(m, inputs) else m.facts.trained).update(tensor.forwards)
    m.facts.differentiated |= tensor.forwards
    create = constant_of(args.keywords["create_graph"]) if "create_graph" in args.keywords else None
    return frozenset({replace(tensor, graph="yes" if create and create.value else "maybe")})


def _of_tensors(m: Machine, value: Value | None) -> bool:
    """Whether everything that a gradient is asked for is a tensor, and no parameter."""
    if value is None:
        return False
    atoms = element_of(m, value) if any(isinstance(a, Tuple) or (isinstance(a, Ref) and a.obj.kind == "list") for a in value) else value
    return bool(atoms) and all(isinstance(a, Tensor) for a in atoms)


def _backward_function(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    tensor_methods.backward(m, expr, args.positional[:1], args)
    return NONE


def _apply(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Applies its first argument to the rest (checkpoint, data_parallel)."""
    if not args.positional:
        return UNKNOWN
    inner = Arguments(args.positional[1:], {k: v for k, v in args.keywords.items() if k != "use_reentrant"}, args.starred)
    return calls.call(m, args.positional[0], inner, expr)


def _clip(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "parameters", "module") or NOTHING
    sources, _ = held(m, given)
    norm = args.get(1, "max_norm", "clip_value", "clip_val")
    if norm is not None and _infinite(norm):
        return frozenset({Tensor()})  # measures the norm, clips nothing
    m.emit("clip", expr.node, sources, max_norm=norm, function=qualname)
    return frozenset({Tensor()})


def _infinite(value: Value) -> bool:
    known = constant_of(value)
    if known is not None:
        return bool(known.value == float("inf"))
    return all(isinstance(a, External) and a.qualname.endswith(".inf") for a in value)


def _step_argument(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    for obj in (a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)):
        m.emit("step", expr.node, {obj})
    return UNKNOWN


def _master_params(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return frozenset({Params(frozenset(m.reachable(args.values())))})


def _context(name: str) -> Effect:
    def effect(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
        if name == "no-grad" and args.positional and any(isinstance(a, Func) for a in args.positional[0]):
            return args.positional[0]
        if name == "set-grad" and isinstance(m.statement, object):
            known = constant_of(args.positional[0]) if args.positional else None
            if _is_statement(m, expr):
                m.grad = bool(known.value) if known is not None else None
        return frozenset({Context(name, tuple(args.positional[:1]) if name in ("set-grad", "scaled-loss") else ())})

    return effect


def _is_statement(m: Machine, expr: ir.Call) -> bool:
    import libcst as cst

    return isinstance(m.statement, cst.Expr) and m.statement.value is expr.node


def _accelerator(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return const(devices.CURRENT)


def _device(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return devices.device(args.get(0, "device", "type")) if len(args.values()) == 1 else UNKNOWN


def _seed(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.remark("seed", expr.node, {m.setting_owner("torch.random")})
    return UNKNOWN


def _initialize(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.remark("initialize", expr.node, held(m, args.positional[0])[0] if args.positional else ())
    return args.positional[0] if args.positional else UNKNOWN


def _overwrite_flag(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    known = constant_of(args.positional[0]) if args.positional else None
    m.facts.overwrites_params = known is not None and bool(known.value)
    return NONE


def _default_device(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.facts.needs_accelerator |= not m.guards and devices.is_accelerators(args.get(0, "device", "t"))
    return NONE


def _autocast_dtype(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.facts.sets_autocast_dtype = True
    return NONE


_EFFECTS: dict[str, Effect] = {
    **construction.EFFECTS,
    **builtins.EFFECTS,
    "pure": _pure, "same": _same, "compiled": _compiled, "base-constructor": _base_constructor, "pass-through": _pass_through,
    "tensor": _tensor, "detached": _detached, "number": _number, "text": _text, "autograd-grad": _autograd_grad,
    "backward-function": _backward_function, "apply": _apply, "clip": _clip, "step-argument": _step_argument,
    "master-params": _master_params, "no-grad": _context("no-grad"), "enable-grad": _context("enable-grad"),
    "set-grad": _context("set-grad"), "context": _context("context"), "autocast": autocast.context,
    "autocast-dtype": _autocast_dtype, "accumulate-context": _context("accumulate"), "scaled-loss-context": _context("scaled-loss"),
    "save": checkpoints.save, "load": checkpoints.load, "overwrite-flag": _overwrite_flag, "device": _device, "default-device": _default_device,
    "current-accelerator": _accelerator, "seed": _seed, "initialize": _initialize, "collective": _pure, "released": _released, "waited": _waited, "update-bn": _pure,
}  # fmt: skip


for name, effect in _EFFECTS.items():
    transfer(name)(effect)
