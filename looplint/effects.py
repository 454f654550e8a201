"""What the effects of the knowledge tables do: one small function per effect, found by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from looplint import autocasting, calls, checkpoints, devices, ir, loaders, methods, objects
from looplint.knowledge.lookup import is_functional_loss
from looplint.machine import Machine
from looplint.membership import ready, register
from looplint.outcomes import of_function
from looplint.schedules import unit_of
from looplint.tensors import combine, computed, detached, sure, tensors_in, under
from looplint.texts import note_arguments
from looplint.transfers import note_fetched, note_released
from looplint.values import (
    COMPUTED, NONE, NOTHING, UNKNOWN, Arguments, Const, Context, External, Func, Iter, Number, Obj, Params, Partial, Ref, Super, Tensor, Tuple, Unknown, Value, const,
    constant_of, join, ref,
)  # fmt: skip

Effect = Callable[[Machine, str, Arguments, ir.Call], Value]


def apply(m: Machine, effect: str, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Apply the effect of calling a library's name."""
    return _EFFECTS.get(effect, _unknown)(m, qualname, args, expr)


def _unknown(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return calls.unknown_call(m, None, args, expr)


def _pure(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Nothing happens to what it is given. Functions among its arguments may be called later."""
    for value in args.values():
        if any(isinstance(a, Func) for a in value):
            m.facts.deferred.append(value)
    return UNKNOWN


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
        items = _exact(value)
        flat.extend(items if items is not None and qualname != "apex.amp.initialize" else [value])
    flat.extend(v for k, v in args.keywords.items() if k in ("models", "optimizers"))
    return frozenset({Tuple(tuple(flat))})


def _exact(value: Value) -> list[Value] | None:
    from looplint.expressions import exact_items

    return exact_items(value)


# -- things that are built


def _new(kind: str) -> Effect:
    def effect(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
        obj = m.create(kind, expr.node, qualname=qualname)
        constructed(m, obj, args, expr)
        if kind == "scaler":
            autocasting.note_outdated(m, qualname, expr)
        return ref(obj)

    return effect


def constructed(m: Machine, obj: Obj, args: Arguments, expr: ir.Call) -> None:
    """Note what an object was built from, and that it was built here."""
    if not m.alive:
        return
    obj.info.setdefault("loops", m.loops)
    for other in m.reachable(args.values()):
        if other.kind == "scheduler" and obj.kind == "scheduler" and other is not obj:
            other.info["wrapped"] = True
    match obj.kind:
        case "optimizer":
            given = args.get(0, "params", "parameters", "model_or_params", "model") or NOTHING
            holds, exact = held(m, given if given else NOTHING)
            obj.info["holds"] = obj.info.get("holds", frozenset()) | holds
            obj.info["exact"] = exact
            rate = next((a.value for a in expr.args if a.keyword == "lr"), None)
            obj.info["rate"] = ir.render(rate)
            obj.info["stateful"] = checkpoints.has_state(obj, args)
            m.emit("construct", expr.node, {obj}, holds=holds, args=args)
        case "scheduler":
            optimizer = args.get(0, "optimizer") or NOTHING
            obj.info["optimizer"] = optimizer
            obj.info["unit"] = unit_of(m, obj, args, expr)
            m.emit("construct", expr.node, {obj}, args=args)
        case "scaler":
            obj.info["enabled"] = args.keywords.get("enabled")
            obj.info["switch"] = frozenset(p for a in expr.args if a.keyword == "enabled" for p in ir.paths_in(a.value))
            m.emit("construct", expr.node, {obj})
        case "loss":
            obj.info["reduction"] = args.keywords.get("reduction")
        case "loader":
            obj.info["args"] = args
            loaders.built(m, obj, args, expr)
        case "sampler":
            loaders.sampler_built(m, obj, args, expr)
        case "dataset":
            obj.info["args"] = args
        case "distribution":
            for number, value in enumerate(args.values()):
                m.write(obj, f"[{number}]", value)
        case "module":
            for value in args.values():
                objects.adopt(obj, value)
                if obj.cls is None:
                    register(value, deep=True)
            obj.info.setdefault("args", args)
            # A part of another module has that one's mode; what comes pretrained from transformers is in eval mode.
            if not any(f.name == "__init__" for f in m.active) and not obj.qualname.startswith(("transformers.", "torch.hub.")):
                m.emit("construct", expr.node, {obj})


def held(m: Machine, value: Value, depth: int = 4) -> tuple[frozenset[Obj], bool]:
    """The modules whose parameters are in what an optimizer was given; False where something else may be in it too."""
    found: frozenset[Obj] = frozenset()
    exact = True
    for atom in value:
        match atom:
            case Params():
                found |= atom.sources
                exact = exact and atom.exact
            case Ref() if atom.obj.kind in ("module", "loss"):
                found |= {atom.obj}
            case Ref() if depth:
                for slot, inner in atom.obj.heap.items():
                    if slot in ("[]", "=params"):
                        more, known = held(m, inner, depth - 1)
                        found |= more
                        exact = exact and (known or not more)
            case Tuple() if depth:
                for inner in atom.items:
                    more, known = held(m, inner, depth - 1)
                    found |= more
                    exact = exact and (known or not more)
            case Iter() if depth:
                more, known = held(m, atom.element, depth - 1)
                found |= more
                exact = exact and known
            case Unknown():
                found |= atom.deps
                exact = False
            case Tensor():
                found |= atom.sources
                exact = False
            case Const():
                continue
            case _:
                exact = False
    return found, exact and bool(found)


def _container(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """nn.Sequential, ModuleList, ModuleDict: a module that holds its parts."""
    obj = m.create("module", expr.node, qualname=qualname)
    constructed(m, obj, args, expr)
    parts = list(args.positional)
    exact = not args.starred and not args.keywords
    if len(parts) == 1 and not _is_module(parts[0]):
        named = _named_parts(parts[0])
        inner = [part for _, part in named] if named is not None else _exact(parts[0])
        obj.heap.update(named or ())
        if inner is not None:
            parts = inner
        else:
            from looplint.expressions import element_of

            parts, exact = [element_of(m, parts[0])], False
    obj.info["parts"] = len(parts) if exact and all(_is_module(p) for p in parts) else None
    for number, part in enumerate(parts):
        objects.adopt(obj, part)
        register(part, deep=True)
        obj.heap[f"[{number}]"] = part
        m.write(obj, "[]", part)
    return ref(obj)


def _named_parts(value: Value) -> list[tuple[str, Value]] | None:
    """The entries, in order, of the dict that a container is built from, if all of it is known."""
    dicts = [a.obj for a in value if isinstance(a, Ref) and a.obj.kind == "dict" and a.obj.info.get("exact") and not a.obj.info.get("changed")]
    if len(dicts) != 1 or len(value) != 1:
        return None
    return [(slot[1:], part) for slot, part in dicts[0].heap.items() if slot.startswith("=")]


def _is_module(value: Value) -> bool:
    return bool(value) and all(isinstance(a, Ref) and a.obj.kind == "module" for a in value)


def _step_scheduler(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    value = _new("scheduler")(m, qualname, args, expr)
    for obj in (a.obj for a in value if isinstance(a, Ref)):
        obj.info["unit"] = "steps"
    return value


def _timm_scheduler(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    scheduler = _step_scheduler(m, qualname, args, expr)
    for obj in (a.obj for a in scheduler if isinstance(a, Ref)):
        obj.info["unit"] = None
    if qualname.startswith("timm.scheduler.create"):
        return frozenset({Tuple((scheduler, UNKNOWN))})
    return scheduler


def _deepspeed(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    engine = m.create("engine", expr.node, "engine", qualname=qualname)
    m.emit("construct", expr.node, {engine}, args=args)
    scheduler = args.keywords.get("lr_scheduler") or UNKNOWN
    return frozenset({Tuple((ref(engine), ref(engine), UNKNOWN, scheduler))})


def _transformers_class(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A class of transformers or diffusers, or one of its ways to make a model: `from_pretrained` gives one in eval mode."""
    parts = qualname.split(".")
    index = next(n for n, part in enumerate(parts) if part[:1].isupper())
    owner, maker = parts[index], ".".join(parts[index + 1 :])
    if maker not in ("", "from_pretrained", "from_config") or owner.endswith(_NO_MODELS) or not any(word in owner for word in _MODELS):
        return _pure(m, qualname, args, expr)
    made = _new("module")(m, qualname, args, expr)
    if maker == "from_pretrained":
        m.emit("eval", expr.node, {a.obj for a in made if isinstance(a, Ref)})
    return made


_NO_MODELS = (
    "Config", "Tokenizer", "TokenizerFast", "Processor", "FeatureExtractor", "Collator", "Arguments", "Trainer", "Scheduler", "Pipeline", "Output",
)  # fmt: skip
_MODELS = ("Model", "For", "LMHead", "Autoencoder")


def _module_function(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    leaf = qualname.rpartition(".")[2]
    if leaf.endswith(("_Weights", "Weights")) or ".transforms" in qualname:
        return UNKNOWN
    return _new("module")(m, qualname, args, expr)


def _copy(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A deep copy: the same kind of object, with an identity of its own."""
    result: Value = NOTHING
    original = args.positional[0] if args.positional else NOTHING
    for atom in original if qualname == "copy.copy" else checkpoints.deep_copy(original):
        if isinstance(atom, Ref) and atom.obj.kind in ("module", "optimizer"):
            twin = m.create(atom.obj.kind, expr.node, cls=atom.obj.cls, qualname=atom.obj.qualname)
            if m.loops:
                m.emit("escape", expr.node, {twin}, callee=qualname)  # a new object each time, in whatever state the original is
            result = join(result, ref(twin))
        elif isinstance(atom, Tensor):
            result = join(result, frozenset({detached(atom)}))
        elif isinstance(atom, Params):
            result = join(result, UNKNOWN)
        else:
            result = join(result, frozenset({atom}))
    return result or UNKNOWN


def _parameter(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("module", expr.node, qualname=qualname)
    obj.info["parameter"] = True
    return frozenset({Tensor(frozenset({obj}), under(m, "yes")), Ref(obj)})


def _variable(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    value = args.positional[0] if args.positional else UNKNOWN
    needs = args.keywords.get("requires_grad")
    known = constant_of(needs) if needs else None
    if known is not None and known.value:
        tensor = combine(m, [value]) or Tensor()
        return frozenset({tensor.tagged(("input-grad", True))})
    return value


# -- tensors


def _tensor(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if is_functional_loss(qualname):
        return methods.loss(m, None, args, expr, qualname)
    if qualname.startswith("builtins."):
        inner = [join(NOTHING, _element(m, v)) if not any(isinstance(a, Tensor) for a in v) else v for v in args.values()]
        tensor = combine(m, inner)
        if tensor is None:
            return UNKNOWN
        return frozenset({computed(tensor) if sure(inner) else tensor})
    of_torch = qualname.startswith("torch.")
    tensor = combine(m, args.values())
    if tensor is None:
        params = [a for v in args.values() for a in v if isinstance(a, Params)]
        if params:
            return frozenset({Tensor(frozenset().union(*(p.sources for p in params)), under(m, "no" if any(p.grad for p in params) else "yes"))})
        needs = args.keywords.get("requires_grad")
        known = constant_of(needs) if needs else None
        given = args.get(0, "input") or UNKNOWN
        outcomes = of_function(m, qualname.rpartition(".")[2], given, expr) if of_torch else frozenset()
        made = Tensor(made=COMPUTED if of_torch else frozenset(), outcomes=outcomes)
        return frozenset({replace(made, graph="yes", tags=frozenset({("input-grad", True)}))}) if known and known.value else frozenset({made})
    if of_torch:
        given = args.get(0, "input") or UNKNOWN
        tensor = replace(computed(tensor), outcomes=of_function(m, qualname.rpartition(".")[2], given, expr))
    if qualname.rpartition(".")[2] in methods.PAIRS:
        m.facts.scored |= tensor.origins
        return methods.pair(tensor, len(args.positional) > 1 and len(_tensor_arguments(args)) < 2 or "dim" in args.keywords)
    return frozenset({tensor})


def _tensor_arguments(args: Arguments) -> list[Value]:
    return [v for v in args.positional if any(isinstance(a, Tensor) for a in v)]


def _element(m: Machine, value: Value) -> Value:
    from looplint.expressions import element_of

    if any(isinstance(a, Ref | Tuple | Iter) for a in value):
        return element_of(m, value)
    return value


def _detached(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    tensor = combine(m, args.values())
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


def _released(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_released(m, expr)
    return NONE


def _text(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_arguments(m, expr.args, args.positional)
    return UNKNOWN


def _autograd_grad(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """torch.autograd.grad fills no .grad, but what it differentiates is trained or attacked, not evaluated."""
    tensor = combine(m, args.values()) or Tensor()
    m.facts.trained |= tensor.forwards
    m.facts.differentiated |= tensor.forwards
    create = constant_of(args.keywords["create_graph"]) if "create_graph" in args.keywords else None
    return frozenset({replace(tensor, graph="yes" if create and create.value else "maybe")})


def _backward_function(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    methods.backward(m, expr, args.positional[:1], args)
    return NONE


def _apply(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Applies its first argument to the rest (checkpoint, data_parallel)."""
    if not args.positional:
        return UNKNOWN
    inner = Arguments(args.positional[1:], {k: v for k, v in args.keywords.items() if k != "use_reentrant"}, args.starred)
    return calls.call(m, args.positional[0], inner, expr)


# -- gradients


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


# -- contexts


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


# -- iteration


def _range(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    bound = args.positional[1 if len(args.positional) > 1 else 0] if args.positional else NOTHING
    if len(args.positional) > 1:
        checkpoints.note_continued(args.positional[0])
    return frozenset({Iter(frozenset({Number()}), bound=bound)})


def _enumerate(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "iterable") or UNKNOWN
    items = _exact(given)
    if items is not None and len(items) <= 6 and all(not isinstance(a, Const) for i in items for a in i):
        pairs = tuple(frozenset({Tuple((const(n), item))}) for n, item in enumerate(items))
        return frozenset({Tuple(pairs)})
    return frozenset({Iter(frozenset({Tuple((frozenset({Number()}), _iterated(m, given)))}), loaders.loaders_in(given))})


def _iterated(m: Machine, value: Value) -> Value:
    from looplint.expressions import element_of

    return element_of(m, value)


def _zip(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    columns = [_exact(v) for v in args.positional]
    exact = [c for c in columns if c is not None]
    if exact and len(exact) == len(columns) and len({len(c) for c in exact}) == 1 and len(exact[0]) <= 6:
        rows = zip(*exact)
        return frozenset({Tuple(tuple(frozenset({Tuple(tuple(row))}) for row in rows))})
    over = frozenset().union(*(loaders.loaders_in(v) for v in args.positional))
    return frozenset({Iter(frozenset({Tuple(tuple(_iterated(m, v) for v in args.positional))}), over)})


def _progress(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """tqdm and its like: an iterable that yields what it wraps."""
    given = args.get(0, "iterable", "sequence")
    if given is None:
        return UNKNOWN
    if _exact(given) is not None:
        return given
    bound = frozenset().union(*(a.bound for a in given if isinstance(a, Iter)))
    return frozenset({Iter(_iterated(m, given), loaders.loaders_in(given), bound)})


def _sequence(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if not args.positional:
        return ref(objects.new_list(m, expr.node, [], exact=True))
    given = args.positional[0]
    if any(isinstance(a, Params | Tensor) for a in given):
        return given
    items = _exact(given)
    if items is not None and qualname != "builtins.set":
        return ref(objects.new_list(m, expr.node, items, exact=True))
    if loaders.loaders_in(given) or any(isinstance(a, Iter) and any(isinstance(e, Number) for e in a.element) for a in given):
        return given
    return ref(objects.new_list(m, expr.node, [_iterated(m, given)], exact=False))


def _chain(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    params = [a for v in args.positional for a in v if isinstance(a, Params)]
    if params:
        return frozenset(params)
    result: Value = NOTHING
    for value in args.positional:
        result = join(result, _iterated(m, value))
    return frozenset({Iter(result or UNKNOWN)})


def _filter(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.positional[-1] if args.positional else UNKNOWN
    params = [replace(a, exact=False) for a in given if isinstance(a, Params)]
    return frozenset(params) if params else frozenset({Iter(_iterated(m, given), loaders.loaders_in(given))})


def _map(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) < 2:
        return UNKNOWN
    inner = Arguments([_iterated(m, v) for v in args.positional[1:]])
    return frozenset({Iter(calls.call(m, args.positional[0], inner, expr))})


def _next(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return _iterated(m, args.positional[0]) if args.positional else UNKNOWN


def _length(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.positional[0] if args.positional else NOTHING
    items = _exact(given)
    if items is not None:
        return const(len(items))
    return frozenset({Number(frozenset({"batches"}) if any(isinstance(a, Ref) and a.obj.kind == "loader" for a in given) else frozenset())})


# -- the language


def _super(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    frame = m.frame
    while frame.owner is None and frame.closure is not None:
        frame = frame.closure
    first = frame.function.params[0].name if frame.function.params else ""
    instance = frame.locals.get(first) or frame.instance
    if frame.owner is None:
        ready(instance)
        return UNKNOWN
    return frozenset({Super(frame.owner, instance)})


def _getattr(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    from looplint.expressions import attribute

    name = constant_of(args.positional[1]) if len(args.positional) > 1 else None
    if name is not None and isinstance(name.value, str):
        return attribute(m, args.positional[0], name.value)
    if args.positional and any(not isinstance(a, Unknown | Const) for a in args.positional[0]) and m.reachable(args.positional[:1]):
        return calls.unknown_call(m, None, args, expr)
    if args.positional and all(isinstance(a, External) for a in args.positional[0]):
        return _dynamic_member(m, args.positional[0])
    return UNKNOWN


def _dynamic_member(m: Machine, value: Value) -> Value:
    """`getattr(torch.optim, name)`: any class of that module has the same effect."""
    return frozenset({External(f"{a.qualname}.Any") for a in value if isinstance(a, External)})


def _setattr(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    name = constant_of(args.positional[1]) if len(args.positional) > 2 else None
    for atom in args.positional[0] if args.positional else NOTHING:
        if isinstance(atom, Ref):
            if name is not None and isinstance(name.value, str) and len(args.positional) > 2:
                m.write(atom.obj, name.value, args.positional[2])
            elif len(args.positional) > 2:
                objects.adopt(atom.obj, args.positional[2])
            if len(args.positional) > 2:
                register(args.positional[2])
    return NONE


def _hasattr(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return UNKNOWN


def _partial(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if not args.positional:
        return UNKNOWN
    return frozenset({Partial(args.positional[0], tuple(args.positional[1:]), tuple(args.keywords.items()))})


def _decorator(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


def _dict(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("dict", expr.node)
    for name, value in args.keywords.items():
        m.write(obj, f"={name}", value)
        m.write(obj, "[]", value)
    pairs = _pairs_in(args.positional[0]) if len(args.positional) == 1 and not args.keywords and qualname.endswith((".dict", ".OrderedDict")) else None
    for name, value in pairs or ():
        m.write(obj, f"={name}", value)
        m.write(obj, "[]", value)
    written = not args.positional and not args.starred and qualname == "builtins.dict" and bool(args.keywords)
    obj.info["exact"] = written or bool(pairs)
    if qualname.endswith("defaultdict") and args.positional:
        made = calls.call(m, args.positional[0], Arguments(), expr)
        m.write(obj, "[]", made)
    return ref(obj)


def _pairs_in(value: Value) -> list[tuple[str, Value]] | None:
    """The keys and values of a list of pairs that is fully known, as `OrderedDict([("fc", nn.Linear(4, 2)), ...])` takes it."""
    found: list[tuple[str, Value]] = []
    for item in _exact(value) or ():
        pair = _exact(item)
        key = constant_of(pair[0]) if pair is not None and len(pair) == 2 else None
        if pair is None or key is None or not isinstance(key.value, str):
            return None
        found.append((key.value, pair[1]))
    return found or None


def _list(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    return ref(objects.new_list(m, expr.node, [], exact=False))


def _namespace(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("instance", expr.node, qualname=qualname)
    for name, value in args.keywords.items():
        m.write(obj, name, value)
    return ref(obj)


def _exit(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.die()
    return UNKNOWN


def _spawn(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A launcher: the function it is given runs with its arguments, after the rank."""
    if not args.positional:
        return UNKNOWN
    given = args.get(1, "args")
    items = _exact(given) if given else None
    rank = [frozenset({Number()})] if qualname.startswith("torch") else []
    calls.call(m, args.positional[0], Arguments([*rank, *(items or [])], {}, items is None), expr)
    return UNKNOWN


# -- the rest


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


def _autocast_dtype(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    m.facts.sets_autocast_dtype = True
    return NONE


def _split(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("dataset", expr.node, qualname=qualname)
    obj.info["args"] = args
    return frozenset({Iter(ref(obj))})


def apply_method(m: Machine, effect: str, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Apply the effect of a method of an object of the tables."""
    from looplint.object_effects import METHODS

    if obj.kind == "accelerator":
        loaders.prepared(args)
    handler = METHODS.get(effect)
    if handler is not None:
        return handler(m, obj, name, args, expr)
    return apply(m, effect, f"{obj.kind}.{name}", args, expr)


_EFFECTS: dict[str, Effect] = {
    "pure": _pure, "same": _same, "compiled": _compiled, "base-constructor": _base_constructor, "pass-through": _pass_through, "tensor": _tensor, "detached": _detached, "number": _number, "text": _text,
    "optimizer": _new("optimizer"), "scheduler": _new("scheduler"), "step-scheduler": _step_scheduler, "timm-scheduler": _timm_scheduler,
    "scaler": _new("scaler"), "module": _new("module"), "module-function": _module_function, "loss": _new("loss"), "loader": _new("loader"),
    "dataset": _new("dataset"), "sampler": _new("sampler"), "writer": _new("writer"), "metric": _new("metric"), "accelerator": _new("accelerator"),
    "distribution": _new("distribution"), "framework": _new("framework-object"), "deepspeed": _deepspeed, "class-of-transformers": _transformers_class,
    "container": _container, "copy": _copy, "copy-module": _copy, "parameter": _parameter, "variable": _variable, "autograd-grad": _autograd_grad,
    "backward-function": _backward_function, "apply": _apply, "clip": _clip, "step-argument": _step_argument, "master-params": _master_params,
    "no-grad": _context("no-grad"), "enable-grad": _context("enable-grad"), "set-grad": _context("set-grad"), "context": _context("context"),
    "autocast": autocasting.context, "autocast-dtype": _autocast_dtype,
    "accumulate-context": _context("accumulate"), "scaled-loss-context": _context("scaled-loss"), "range": _range, "enumerate": _enumerate, "zip": _zip,
    "progress": _progress, "sequence": _sequence, "chain": _chain, "filter": _filter, "map": _map, "next": _next, "length": _length, "super": _super,
    "getattr": _getattr, "setattr": _setattr, "hasattr": _hasattr, "partial": _partial, "decorator": _decorator, "dict": _dict, "list": _list,
    "namespace": _namespace, "exit": _exit, "spawn": _spawn, "save": checkpoints.save, "load": checkpoints.load, "overwrite-flag": _overwrite_flag, "split": _split, "device": _device, "seed": _seed, "initialize": _initialize,
    "collective": _pure, "released": _released, "update-bn": _pure,
}  # fmt: skip

