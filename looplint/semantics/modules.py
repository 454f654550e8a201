"""Modules: they are built, applied, moved, copied, and put in a mode."""

from __future__ import annotations

from typing import Literal

from looplint.dataclass import replace
from looplint.domain.membership import adopt, register
from looplint.domain.objects import Data, Engine, Module, Obj, TorchModule
from looplint.domain.tags import NO_TAGS, Kept, Mark, OfBatch, Summed
from looplint.domain.tensors import combine, under
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    ClassRef,
    Const,
    Func,
    Graph,
    Iter,
    Method,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    ref,
    refs,
)
from looplint.flow.events import Clear, Construct, Escape, Eval, Forward, Move, SetMode, Train
from looplint.flow.remarks import Attach, Bypass, Initialize, ResetStatistics, Spread
from looplint.interpreter import alternatives, calls, classes, hooks, names, objects, unfollowed, unseen_methods
from looplint.interpreter.calls import build, builds
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import application, construction, method_transfer, transfer
from looplint.interpreter.turns import is_one
from looplint.knowledge import naming
from looplint.knowledge.frameworks import DIFFERENTIATING
from looplint.semantics import devices, dtypes
from looplint.semantics.borrowed_forwards import lenders
from looplint.semantics.carried import carries_state, leaves_outputs
from looplint.semantics.differentiation import differentiates, enables_gradients, goes_backward, records_nothing, training_step
from looplint.semantics.dropouts import note_dropouts, note_rate_by
from looplint.semantics.fed_again import is_fed_again
from looplint.semantics.functions import same
from looplint.semantics.modes import note_modes, note_momentum_of_base, switches_of_forward
from looplint.semantics.module_containers import fill_derived
from looplint.semantics.other_frameworks import gets_other_tensors
from looplint.semantics.outcomes import of_forward
from looplint.semantics.parameters import held, is_frozen, note_class, shows_no_parameters, without_parameters
from looplint.semantics.pipeline_stages import run_stages, runs_stages
from looplint.semantics.sessions import runs_a_session
from looplint.syntax import ir

_NO_MODELS = (
    "Config", "Tokenizer", "TokenizerFast", "Processor", "FeatureExtractor", "Collator", "Arguments", "Trainer", "Scheduler", "Pipeline", "Output",
)  # fmt: skip


_MODELS = ("Model", "For", "LMHead", "Autoencoder")


@transfer("class-of-transformers")
def _transformers_class(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A class of transformers or diffusers, or one of its ways to make a model: `from_pretrained` gives one in eval mode."""
    parts = qualname.split(".")
    index = next(n for n, part in enumerate(parts) if part[:1].isupper())
    owner, maker = parts[index], ".".join(parts[index + 1 :])
    if maker not in ("", "from_pretrained", "from_config") or owner.endswith(_NO_MODELS) or not any(word in owner for word in _MODELS):
        return unfollowed.put_off(interp, args)
    made = build(interp, Module, qualname, args, expr)
    if maker == "from_pretrained":
        interp.emit(Eval(built=True), expr.node, {a.obj for a in made if isinstance(a, Ref)})
    return made


@transfer("module-function")
def _module_function(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    leaf = qualname.rpartition(".")[2]
    if leaf.endswith(("_Weights", "Weights")) or ".transforms" in qualname:
        return UNKNOWN
    return build(interp, Module, qualname, args, expr)


@transfer("pretrained-embedding")
def _pretrained_embedding(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`nn.Embedding.from_pretrained(weights)`, which is frozen unless it is told otherwise."""
    made = build(interp, Module, qualname.rpartition(".")[0], args, expr)
    told = args.get(1, "freeze")
    known = constant_of(told) if told is not None else None
    for module in refs(made, Module):
        module.frozen = told is None or (known is not None and bool(known.value))
    return made


@transfer("compiled")
def _compiled(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A scripted or traced module: the same parameters, in a program of its own."""
    for atom in same(interp, qualname, args, expr):
        if isinstance(atom, Ref) and isinstance(atom.obj, Module):
            atom.obj.compiled = True
    return same(interp, qualname, args, expr)


@transfer("sharded")
def _sharded(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A wrapper that leaves each process a part of the parameters."""
    for module in refs(same(interp, qualname, args, expr), Module):
        module.sharded = True
    return same(interp, qualname, args, expr)


@hooks.taken_apart
def _take_apart(value: Value, count: int) -> Value:
    """What torch.hub gives is one model, or, where it is unpacked, a model and functions that go with it: `model, utils = torch.hub.load(...)`."""
    from_hub = [a for a in value if isinstance(a, Ref) and isinstance(a.obj, Module) and a.obj.qualname == "torch.hub.load"]
    return frozenset({Tuple((frozenset(from_hub), *[UNKNOWN] * (count - 1)))}) if from_hub and len(from_hub) == len(value) else value


# What is so of a module's inputs, and of what it makes of them.
_HANDED_ON = frozenset({Mark.INPUT_GRADIENT, Mark.SUM, Mark.SINGLE, Mark.VOLATILE})


def forward(interp: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """A module is applied: its result depends on its parameters and on its inputs."""
    inputs = combine(interp.grad, [*args.values(), obj.fed] if isinstance(obj, TorchModule) and obj.fed else args.values())
    deps = frozenset().union(*(a.deps for v in args.values() for a in v if isinstance(a, Unknown)))
    unfollowed.note_differentiated(ir.called_name(expr), (o for v in args.values() for o in refs(v, Module)))
    lent = lenders(interp, obj)
    frozen = is_frozen(obj) and not lent
    # What code that cannot be followed returns may be a number as well.
    method = str(obj.key[-1]) if isinstance(obj, Module) and obj.part and isinstance(obj.key, tuple) else ""
    if naming.describes(method):
        return unfollowed.quiet(interp, args)
    if runs_a_session(method, args) or gets_other_tensors(args):
        return UNKNOWN
    if runs_stages(method, args):
        return run_stages(interp, [obj], expr)
    trains_itself = bool(method) and obj.symbolic and unseen_methods.trains_itself(interp, method) != "never"
    left_open = trains_itself or (isinstance(obj, Module) and obj.left_open)
    enabled = interp.grad
    if left_open or naming.samples(method):
        interp.grad = None if enabled else enabled
    trained: Graph = "maybe" if naming.gives_a_number(method) or any(isinstance(o, Module) and o.foreign for o in obj.lineage()) else "yes"
    own = trained if not frozen else "no"
    devices.note_forward(interp, obj)
    if obj.cls is not None:
        for switch in switches_of_forward(interp, obj.cls):
            interp.emit(Train() if switch == "train" else Eval() if switch == "eval" else Clear(set_to_none=None), expr.node, {obj})
    applied = _is_called(interp, obj, expr.func)
    bare = False
    if lent:
        own = "yes"
    elif own != "no" and without_parameters(obj):
        own, bare = "maybe" if inputs is None or deps else "no", True  # there is a graph only where the inputs have one
    elif own != "no" and (shows_no_parameters(interp, obj) or (obj.symbolic and naming.has_no_parameters(method))):
        own, bare = "maybe", True
    graph = under(interp.grad, own if own == "yes" or inputs is None or inputs.graph == "no" else inputs.graph)
    if applied and (unrecorded := records_nothing(interp, obj)) != "never":
        graph, bare = "no" if unrecorded == "always" else graph, True
    happening = Forward(
        inputs=inputs,
        frozen=frozen,
        bare=bare,
        repeated=_repeated(interp, expr),
        fed_again=is_fed_again(interp, expr),
        autocast=interp.autocast,
        enabled=interp.enabling > 0,
        outside=interp.frame.outside,
        applied=applied,
        decides=left_open or naming.evaluates(method),
        one_of=tuple(alternatives.running(interp, obj)),
        owner=_owner(interp, expr.func),
    )
    event = interp.emit(happening, expr.node, {obj})
    interp.grad = enabled
    if trains_itself or (isinstance(obj, Module) and _may_go_backward(interp, obj, args)):
        interp.emit(Escape(callee=ir.render(expr.func)), expr.node, {obj}, certain=False)
    forwards = frozenset({event.key}) if event is not None else frozenset()
    origins = forwards
    tags = NO_TAGS
    sources = frozenset({obj}) | lent | deps
    if inputs is not None:
        forwards |= inputs.forwards
        origins |= inputs.origins
        sources |= inputs.sources
        tags = frozenset(t for t in inputs.tags if t in _HANDED_ON or isinstance(t, OfBatch | Summed | Kept))
    for value in args.values():
        for atom in value:
            if isinstance(atom, Func):
                interp.agenda.values.append(frozenset({atom}))
    outcomes = of_forward(interp, obj, args, expr)
    if obj.symbolic and not outcomes:
        tags |= {Mark.RETURNED}
    output = Tensor(tags=tags, origins=origins, outcomes=outcomes)
    if graph != "no":
        output = replace(output, sources=sources, graph=graph, forwards=forwards)
    if obj.cls is not None and not interp.aside and leaves_outputs(interp, obj.cls):
        interp.drop_constants(obj)
        interp.set_constant(obj, objects.LAST_OUTPUT, frozenset({output}))
    return frozenset({output})


def _may_go_backward(interp: Interpreter, obj: Module, args: Arguments) -> bool:
    """Whether a forward may go backward itself, that of any of them where the module is one of several: of a class in sight that is read there."""
    kinds = {each.cls for each in obj.one_of or (obj,)}
    return any(_is_told_to_go_backward(args) if cls is None else goes_backward(interp, cls) for cls in kinds)


def _is_told_to_go_backward(args: Arguments) -> bool:
    """Whether an argument, by its name, tells a forward out of sight to go backward itself, and is no flag that is off."""
    told = (value for name, value in args.keywords.items() if naming.tells_to_go_backward(name))
    return any(not all(isinstance(a, Const) and not a.value for a in value) for value in told)


def _is_called(interp: Interpreter, obj: Obj, func: ir.Expr) -> bool:
    """Whether what a call calls is a module itself: not a function that applies it, such as `checkpoint(block, x)`, nor a method of it."""
    match func:
        case ir.Name(id=name):
            held = names.lookup(interp, interp.frame, name)
            return any(isinstance(a, Ref) and a.obj is obj for a in held) and not any(isinstance(a, Method) for a in held)
        case ir.Attr() if ir.path_of(func) is not None:
            with interp.looking():
                held = interp.evaluate(func)
            return any(isinstance(a, Ref) and a.obj is obj for a in held) and not any(isinstance(a, Method) for a in held)
        case ir.Subscript():
            return True
    return False


def _owner(interp: Interpreter, func: ir.Expr) -> Obj | None:
    """The one module whose attribute or method is called by its name."""
    if not isinstance(func, ir.Attr) or ir.path_of(func) is None:
        return None
    with interp.looking():
        owners = interp.evaluate(func.value)
    found = refs(owners, Module)
    return found[0] if len(owners) == len(found) == 1 else None


def _repeated(interp: Interpreter, expr: ir.Call) -> bool:
    """Whether a forward does the same in every turn of its loop: what differs then is chance (Monte-Carlo dropout, timing)."""
    if interp.repetitions:
        return True
    loop = interp.loops[-1] if interp.loops else None
    if loop is None or loop.frame != interp.frame.ctx or not loop.counting:
        return False
    return not any(ir.paths_in(a.value) & loop.assigned for a in expr.args)


@method_transfer("forward-directly")
def _forward_directly(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`model.forward(x)` gives what `model(x)` gives, without what the call does around it."""
    if obj.cls is not None and classes.find_member(interp, obj.cls, "__call__") is not None:
        forward = classes.find_member(interp, obj.cls, "forward")
        return interp.call(classes.bind(interp, forward, obj), args, expr) if forward else UNKNOWN
    known = obj.cls is None or not classes.has_unlisted_base(interp, obj.cls)
    direct = isinstance(expr.func, ir.Attr) and expr.func.attr == name
    if known and (direct or _is_bound_forward(interp, expr.func)):
        own = interp.frame.is_method_of(obj)
        receiver = ir.render(expr.func.value) if isinstance(expr.func, ir.Attr) and direct else ""
        alias = "" if direct else ir.path_of(expr.func) or ""
        bypass = Bypass(receiver=receiver, alias=alias, function=interp.frame.function.name, own=own)
        interp.remark(bypass, expr.node, {obj}, certain=not (isinstance(obj, Module) and obj.part))
    result = calls.call_object(interp, obj, args, expr)
    if "forward" in obj.heap:  # what the program has put in its place calls the one that was there before
        return frozenset(replace(a, outcomes=frozenset()) if isinstance(a, Tensor) else a for a in result)
    return result


def _is_bound_forward(interp: Interpreter, func: ir.Expr) -> bool:
    """Whether a name stands for the bound forward of a module, so that the call of the name is one of it."""
    if ir.path_of(func) is None:
        return False
    with interp.looking():
        return any(isinstance(a, Method) and a.name == "forward" for a in interp.evaluate(func))


@method_transfer("train", "eval")
def _mode(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "mode")
    known = constant_of(given) if given is not None else None
    if isinstance(obj, Module):
        obj.switched = True
    if name == "train" and given is not None and known is None:
        interp.emit(SetMode(callee=ir.render(expr.func)), expr.node, {obj})
        return ref(obj)
    evaluates = name == "eval" or (known is not None and not known.value)
    # Under a condition on the mode, what is switched on is what was on before.
    restores = not evaluates and any(g.of_mode for g in interp.guards)
    interp.emit(Eval() if evaluates else Train(), expr.node, {obj}, certain=is_one(interp, obj, expr) and not restores)
    return ref(obj)


# What `to` may be given besides a device and a type: how to lay out the copy.
_NO_DESTINATION = frozenset({"memory_format", "non_blocking", "copy"})


@method_transfer("move")
def _move(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    target = args.get(0, "device")
    if name == "to" and not args.positional and not args.starred and args.keywords.keys() <= _NO_DESTINATION:
        return ref(obj)
    device = {"cuda": "accelerator", "cpu": "cpu"}.get(name) or devices.kind(target)
    move = Move(method=name, args=args, device=device, chosen=devices.is_choice(target or NOTHING), dtype=_new_dtype(name, args, expr))
    interp.emit(move, expr.node, {obj}, certain=not obj.many)
    devices.note_moved(interp, obj.unpickled, device)
    return ref(obj)


def _new_dtype(name: str, args: Arguments, expr: ir.Call) -> str | None:
    """The type that a move gives to floating-point parameters: "" where they keep theirs, None where that is not known."""
    if name not in ("to", "type"):
        return dtypes.BY_METHOD.get(name, "")
    if args.starred or args.keywords.keys() & {"other", "tensor"}:
        return None
    given = [a.value for a in expr.args if a.keyword is None]
    found = ["" if dtypes.is_named_device(e) else dtypes.name_of(v) for e, v in zip(given, args.positional)]
    found += [dtypes.name_of(args.keywords[key]) for key in ("dtype", "dst_type") if key in args.keywords]
    return None if None in found else next((dtype for dtype in found if dtype), "")


@method_transfer("submodules", "named-submodules")
def _submodules(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    part = objects.any_part(interp, obj)
    element = frozenset({Tuple((UNKNOWN, part))}) if name.startswith("named") else part
    return frozenset({Iter(element)})


@method_transfer("attach")
def _attach(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A hook is registered, or `model.compile()` compiles what a call of the model runs."""
    attach = Attach(what="compilation" if name == "compile" else "hook", own=interp.frame.is_method_of(obj))
    interp.remark(attach, expr.node, {obj})
    return ref(obj) if name == "compile" else unfollowed.put_off(interp, args)


@transfer("spread")
def _spread(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """DataParallel and its like: the same module, which has other names in its state."""
    wrapped = same(interp, qualname, args, expr)
    if modules := {a.obj for a in wrapped if isinstance(a, Ref) and isinstance(a.obj, Module)}:
        interp.remark(Spread(), expr.node, modules)
    return wrapped


@transfer("attach")
def _wrap(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """The norms of `torch.nn.utils` and `fully_shard` give back the module itself, with hooks that compute or gather its weights."""
    given = args.get(0, "module") or UNKNOWN
    what: Literal["norm", "shards"] = "shards" if qualname.endswith("fully_shard") else "norm"
    interp.remark(Attach(what=what), expr.node, {a.obj for a in given if isinstance(a, Ref)})
    return given


@method_transfer("returns-self")
def _returns_self(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    return ref(obj)


@method_transfer("initialize")
def _initialize_parts(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`model.apply(f)`: what is done to every part of a model is, as a rule, to draw its weights again."""
    interp.remark(Initialize(), expr.node, {obj})
    if any(isinstance(a, Func) and "reset_running_stats" in a.function.methods for value in args.values() for a in value):
        interp.remark(ResetStatistics(), expr.node, {obj})
    for value in args.values():
        for given in (a for a in value if isinstance(a, Func)):
            note_rate_by(interp, obj, given.function)
        if any(isinstance(a, Func) for a in value):
            interp.agenda.values.append(value)
    return ref(obj)


@method_transfer("reset-statistics")
def _reset_statistics(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.remark(ResetStatistics(), expr.node, {obj})
    return NONE


@transfer("initialize")
def _initialize(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    interp.remark(Initialize(), expr.node, held(interp, args.positional[0])[0] if args.positional else ())
    return args.positional[0] if args.positional else UNKNOWN


@application(Module, Engine)
def _applied(interp: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    method = obj.name.rpartition(".")[2]
    if (
        isinstance(obj, Module)
        and obj.part
        and obj.symbolic
        and not obj.switched
        and (not (args.values() or args.starred) or naming.sets_up(method))
    ):
        # `model.part()` without an input, `model.init_hidden(n)` or `model.get_optimizer(lr)` is a method that is not known, not a part that is applied.
        return frozenset({Unknown(frozenset({obj.parent or obj}), parameters=naming.makes_optimizers(method))})
    if isinstance(obj, Module) and _gives_another_form(interp, obj, expr):
        return ref(obj.parent or obj)
    if isinstance(obj, Module) and _is_method_of_a_loop(interp, obj, args):
        # `model.train_epoch(loader)`, or `model.observe(batch)` in a program whose classes go backward there: it may do anything with the model.
        whole = obj.parent or obj
        return unfollowed.unknown_call(interp, Ref(whole), args.handed_on([ref(whole), *args.positional]), expr)
    followed = training_step(interp, obj.cls) if obj.cls is not None else None
    cls = _class_that_runs(interp, obj) if followed is None and expr.dropped else None
    if cls is not None and leaves_outputs(interp, cls) and any(each.cls.trains_itself for each in classes.mro(interp, cls)):
        followed = classes.find_member(interp, cls, "forward")  # `self.forward()`, and then `self.loss.backward()`
    return interp.call(classes.bind(interp, followed, obj), args, expr) if followed is not None else forward(interp, obj, args, expr)


def _gives_another_form(interp: Interpreter, obj: Module, expr: ir.Call) -> bool:
    """Whether what goes by a name of a module out of sight gives what takes the module's place, as `model = model.get_form_for(task)` does: no output."""
    path = ir.path_of(expr.func) or ""
    owner, _, method = path.rpartition(".")
    return obj.part and obj.symbolic and method.startswith("get_") and (path, owner) in interp.frame.function.made


def _is_method_of_a_loop(interp: Interpreter, obj: Module, args: Arguments) -> bool:
    """Whether what goes by a name of a module out of sight is a method that takes the data of a loop, or trains: no part that is applied."""
    if not (obj.part and obj.symbolic) or obj.switched:
        return False
    given = any(refs(value, Data) and not any(isinstance(a, Tensor | Unknown) for a in value) for value in args.values())
    return given or unseen_methods.trains_itself(interp, obj.name.rpartition(".")[2]) == "always"


def _class_that_runs(interp: Interpreter, obj: Obj) -> ClassRef | None:
    """The class of a module; of one that is one of several, that whose method calls it, where all that have this method have one forward."""
    owner = interp.frame.owner
    if obj.cls is not None or owner is None or not interp.frame.is_method_of(obj):
        return obj.cls
    having = [each.cls for each in obj.one_of if each.cls is not None and owner in classes.mro(interp, each.cls)]
    return having[0] if len({classes.find_member(interp, cls, "forward") for cls in having}) == 1 else None


@construction(Module)
def _built(interp: Interpreter, obj: Module, args: Arguments, expr: ir.Call) -> None:
    # What a constructor in sight keeps, it has made a part already: it may keep a copy, as the average of a model's weights does.
    followed = obj.cls is not None and bool(obj.heap) and not classes.has_unknown_base(interp, obj.cls)
    for value in args.values():
        if not followed:
            adopt(obj, value)
        if obj.cls is None:
            register(value, deep=True)
    if obj.cls is not None and classes.find_member(interp, obj.cls, "__init__") is None:
        fill_derived(interp, obj, args)
        note_momentum_of_base(interp, obj, args)
    obj.arguments = obj.arguments or args
    if obj.cls is None and (dtype := args.keywords.get("torch_dtype") or args.keywords.get("dtype")):
        obj.dtype = dtypes.name_of(dtype)
    note_modes(interp, obj, args, expr)
    note_dropouts(interp, obj)
    obj.differentiates = obj.qualname.startswith(DIFFERENTIATING) if obj.cls is None else differentiates(interp, obj.cls)
    obj.enables_gradients = obj.cls is not None and enables_gradients(interp, obj.cls)
    note_class(interp, obj)
    obj.carries = obj.cls is not None and carries_state(interp, obj.cls)
    # A part of another module has that one's mode; what comes pretrained from transformers is in eval mode.
    if not obj.qualname.startswith(("transformers.", "torch.hub.")):
        if interp.assembling:
            obj.assembled = True
        else:
            interp.emit(Construct(), expr.node, {obj})


@transfer("shaping-layer")
def _shaping_layer(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """A layer of another library that has no parameter and no mode: it counts as torch's own of that kind."""
    return build(interp, Module, "torch.nn.Flatten", args, expr)


transfer("module")(builds(Module))
