"""What the names that build something do: optimizers, modules, schedulers, loaders, and what frameworks wrap around them."""

from __future__ import annotations

from looplint.domain.membership import adopt, register
from looplint.domain.tensors import combine, detached, under
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Const,
    Iter,
    Obj,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    exact_items,
    join,
    ref,
)
from looplint.interpreter import calls, hooks
from looplint.interpreter.elements import element_of
from looplint.interpreter.machine import Effect, Machine
from looplint.semantics import autocast, checkpoints, loaders
from looplint.semantics.schedulers import unit_of
from looplint.syntax import ir


def _new(kind: str) -> Effect:
    def effect(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
        obj = m.create(kind, expr.node, qualname=qualname)
        constructed(m, obj, args, expr)
        if kind == "scaler":
            autocast.note_outdated(m, qualname, expr)
        return ref(obj)

    return effect


@hooks.constructed
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
            obj.info["alternatives"] = len(given) > 1
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
                adopt(obj, value)
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
        inner = [part for _, part in named] if named is not None else exact_items(parts[0])
        obj.heap.update(named or ())
        if inner is not None:
            parts = inner
        else:
            parts, exact = [element_of(m, parts[0])], False
    obj.info["parts"] = len(parts) if exact and all(_is_module(p) for p in parts) else None
    for number, part in enumerate(parts):
        adopt(obj, part)
        register(part, deep=True)
        obj.heap[f"[{number}]"] = part
        m.write(obj, "[]", part)
    return ref(obj)


def _named_parts(value: Value) -> list[tuple[str, Value]] | None:
    """The entries, in order, of the dict that a container is built from, if all of it is known."""
    dicts = [
        a.obj for a in value if isinstance(a, Ref) and a.obj.kind == "dict" and a.obj.info.get("exact") and not a.obj.info.get("changed")
    ]
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
        return calls.put_off(m, args)
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
    return frozenset({Tensor(frozenset({obj}), under(m.grad, "yes")), Ref(obj)})


def _variable(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    value = args.positional[0] if args.positional else UNKNOWN
    needs = args.keywords.get("requires_grad")
    known = constant_of(needs) if needs else None
    if known is not None and known.value:
        tensor = combine(m.grad, [value]) or Tensor()
        return frozenset({tensor.tagged(("input-grad", True))})
    return value


def _split(m: Machine, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = m.create("dataset", expr.node, qualname=qualname)
    obj.info["args"] = args
    return frozenset({Iter(ref(obj))})


EFFECTS: dict[str, Effect] = {
    "optimizer": _new("optimizer"), "scheduler": _new("scheduler"), "step-scheduler": _step_scheduler,
    "timm-scheduler": _timm_scheduler, "scaler": _new("scaler"), "module": _new("module"), "module-function": _module_function,
    "loss": _new("loss"), "loader": _new("loader"), "dataset": _new("dataset"), "sampler": _new("sampler"), "writer": _new("writer"),
    "metric": _new("metric"), "accelerator": _new("accelerator"), "distribution": _new("distribution"),
    "framework": _new("framework-object"), "deepspeed": _deepspeed, "class-of-transformers": _transformers_class,
    "container": _container, "copy": _copy, "copy-module": _copy, "parameter": _parameter, "variable": _variable, "split": _split,
}  # fmt: skip
