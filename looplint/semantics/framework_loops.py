"""The loops that a framework runs over the hooks of a class: Lightning's, by hand and automatic, and those of transformers' Trainer.

Sources: Lightning's documentation, "Manual Optimization": `self.optimizers()` gives what `configure_optimizers` made, and clearing, stepping and
scheduling are the user's; "Automatic Optimization": `training_step` gives the loss, or a dict with it, which Lightning clears, sends backward and
steps for. `transformers.Trainer.training_step` gets the loss from `compute_loss` and sends it backward; its loop steps and clears.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from typing import TYPE_CHECKING

from looplint.dataclass import replace
from looplint.domain.objects import Container, DerivedTrainer, Dict, FrameworkModule, Instance, Module, Obj, Optimizer, Scaler, Scheduler
from looplint.domain.tags import Mark, Scaled
from looplint.domain.tensors import combine, computed, detached
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Context,
    Func,
    Ref,
    Tensor,
    Tuple,
    Value,
    constant_of,
    exact_items,
    join,
    ref,
    refs,
)
from looplint.flow.events import Clear, Clip, SetMode, Step, Train
from looplint.interpreter import calls, classes, hooks, objects, outside, unfollowed
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.objects import attribute
from looplint.interpreter.transfers import application, method_transfer
from looplint.interpreter.turns import is_one
from looplint.knowledge.frameworks import COUNTED_BATCHES, COUNTED_EPOCHS, FRAMEWORK_BASES, LOADER_HOOKS, TRAINERS
from looplint.semantics.framework_data import note_loaders
from looplint.semantics.gradients import backward
from looplint.semantics.registration import begin
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

# The hooks with what the framework gives them.
_BEFORE_EPOCH = {"on_train_epoch_start": ()}
_BEFORE_BATCH = {"on_train_batch_start": ("batch", "batch_idx")}
_BATCH = ("batch", "batch_idx")
_AFTER_BATCH = {"on_train_batch_end": ("outputs", "batch", "batch_idx")}
_AFTER_EPOCH = {"on_train_epoch_end": (), "training_epoch_end": ("outputs",)}
# What it does without gradients and in eval mode: at the end of each epoch, and after the training.
_VALIDATION, _AFTERWARDS = "validation", ("test", "predict")
_OF_TRAINER = ("model", "batch")
# What a class of Lightning's sets to False where it steps by hand.
_AUTOMATIC = "automatic_optimization"


@hooks.loop_of_framework
def loop(interp: Interpreter, cls: ClassRef) -> Callable[[], None] | None:
    """What follows a class that a framework trains; None for one that trains nothing, or whose framework is not known."""
    hook = _hook(interp, cls, "training_step")
    bases = classes.external_bases(interp, cls)
    if not TRAINERS.isdisjoint(bases):
        loss = _hook(interp, cls, "compute_loss")
        turn = _called(hook, _OF_TRAINER, "<step>") if hook else _called(loss, _OF_TRAINER, "<optimize>") if loss else None
    elif hook is None:
        turn = None
    elif any("manual_backward" in each.cls.usage for each in classes.mro(interp, cls)):
        turn = _called(hook, _BATCH)
    else:
        turn = _called(hook, _BATCH, "<optimize>") if not FRAMEWORK_BASES.isdisjoint(bases) else None
    return (lambda: _follow(interp, cls, turn)) if turn is not None else None


def _follow(interp: Interpreter, cls: ClassRef, turn: list[ir.Stmt]) -> None:
    """Run the constructor, `configure_optimizers`, and then the hooks of an epoch in the order in which the framework calls them."""
    node = cls.cls.node
    instance = interp.known(Module, ("fit", id(cls.cls)), cls.cls.name, cls)
    instance.driven = True
    begin(interp, instance, cls)
    interp.frame = Frame(ir.Function("<fit>", "<fit>", [], [], [], node), cls.module, None, interp.context(None, "fit", id(node)), 0)
    interp.frame.locals["self"] = ref(instance)
    _construct(interp, cls)
    if not TRAINERS.isdisjoint(classes.external_bases(interp, cls)):
        interp.frame.locals["model"] = interp.evaluate(ir.Attr(node, ir.Name(node, "self"), "model"))
    instance.configured = _run(interp, cls, "configure_optimizers")
    for name in LOADER_HOOKS:
        found = classes.find_member(interp, cls, name)
        if found is not None and isinstance(found[0], ir.Function):
            note_loaders(interp, Func(found[0], found[1].module, found[1].closure, ref(instance), cls), _run(interp, cls, name))
    if len(turn) > 1 or _may_be_automatic(interp, cls):  # the framework steps, by its schedulers too
        for scheduler in _stepped_by_lightning(instance.configured):
            scheduler.lost = True
    batch = _over(node, "loader", [*_calls(interp, cls, _BEFORE_BATCH), *turn, *_calls(interp, cls, _AFTER_BATCH)], COUNTED_BATCHES)
    body = [*_calls(interp, cls, _BEFORE_EPOCH), batch, *_pass(interp, cls, _VALIDATION), *_calls(interp, cls, _AFTER_EPOCH)]
    epochs = ir.Call(node, ir.Name(node, "range"), [ir.Arg(ir.Name(node, "max_epochs"))])
    interp.run_block([ir.For(turn[0].node, ir.Name(node, "epoch"), epochs, body, [], COUNTED_EPOCHS | {"epoch"})])
    for afterwards in _AFTERWARDS:
        interp.run_block(_pass(interp, cls, afterwards))


def _over(node: cst.CSTNode, loader: str, body: list[ir.Stmt], counted: frozenset[str] = frozenset()) -> ir.For:
    """The framework's loop over the batches of a loader, in which it counts some attributes."""
    target = ir.Display(node, "tuple", [ir.Name(node, "batch_idx"), ir.Name(node, "batch")])
    batches = ir.Call(node, ir.Name(node, "enumerate"), [ir.Arg(ir.Name(node, loader))])
    return ir.For(node, target, batches, body, [], counted | {"batch_idx", "batch"})


def _pass(interp: Interpreter, cls: ClassRef, name: str) -> list[ir.Stmt]:
    """What Lightning does without gradients and in eval mode, as its validation at the end of an epoch; it gives each module its mode back."""
    step = f"{name}_step"
    hook = _hook(interp, cls, step)
    if hook is None or (FRAMEWORK_BASES - TRAINERS).isdisjoint(classes.external_bases(interp, cls)):
        return []
    before = {f"on_{name}_start": (), f"on_{name}_epoch_start": ()}
    turn = {f"on_{name}_batch_start": _BATCH, step: _BATCH, f"on_{name}_batch_end": ("outputs", *_BATCH)}
    after = {f"{name}_epoch_end": ("outputs",), f"on_{name}_epoch_end": (), f"on_{name}_end": ()}
    passes = [*_calls(interp, cls, before), _over(hook.node, name, _calls(interp, cls, turn)), *_calls(interp, cls, after)]
    switch = ir.Call(hook.node, ir.Attr(hook.node, ir.Name(hook.node, "self"), "<switch>"), [])
    return [ir.With(hook.node, [(switch, None)], passes), ir.ExprStmt(hook.node, switch)]


@method_transfer("switch-of-framework")
def _switch(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> Value:
    """The framework puts its module into the mode of a validation, which is one without gradients, or back."""
    interp.emit(SetMode(callee="the framework"), expr.node, {obj})
    return frozenset({Context("no-grad")})


def _construct(interp: Interpreter, cls: ClassRef) -> None:
    """Run the constructor with its defaults; one that refuses them (`if args is None: raise`) gets something else."""
    hook = _hook(interp, cls, "__init__")
    if hook is None:
        return
    before = interp.save()
    call = _call(hook)
    call.dropped = True
    interp.evaluate(call)
    if not interp.alive:
        interp.restore(before)
        call.args.append(ir.Arg(ir.Name(hook.node, "given"), star="*"))
        call.dropped = False
        interp.evaluate(call)


def _may_be_automatic(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether Lightning steps in some runs though the class goes backward by hand: what tells it not to is said under a condition, or is one."""
    said = [each for base in classes.mro(interp, cls) for each in _told_to_step(base.cls)]
    return bool(said) and False not in said


def _told_to_step(cls: ir.Class) -> list[bool]:
    """For each place where a class sets `automatic_optimization`, whether that leaves a run in which it is on."""
    own = [cls.assigned[_AUTOMATIC]] if _AUTOMATIC in cls.assigned else []
    methods = [f for name, f in cls.methods.items() if name != _AUTOMATIC]
    everywhere = [s for f in methods for s in ir.statements(f.body) if _sets_automatic(s)]
    always = {id(s) for s in own} | {id(s) for f in methods for s in f.body}
    given = [(s.value, id(s) in always) for s in (*own, *everywhere) if isinstance(s, ir.Assign)]
    if _AUTOMATIC in cls.methods:
        returns = [s.value for s in ir.statements(cls.methods[_AUTOMATIC].body) if isinstance(s, ir.Return)]
        given += [(value, len(returns) == 1) for value in returns if value is not None]
    return [not (surely and isinstance(value, ir.Const) and value.value is False) for value, surely in given]


def _sets_automatic(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Assign) and any(isinstance(to, ir.Attr) and to.attr == _AUTOMATIC for to in stmt.targets)


def _hook(interp: Interpreter, cls: ClassRef, name: str) -> ir.Function | None:
    found = classes.find_member(interp, cls, name)
    return found[0] if found is not None and isinstance(found[0], ir.Function) else None


def _called(hook: ir.Function, given: Sequence[str], then: str = "") -> list[ir.Stmt]:
    """The call of a hook, and what the framework does with the loss that it gives."""
    call = _call(hook, given)
    if not then:
        return [ir.ExprStmt(hook.node, call)]
    loss = ir.Name(hook.node, "loss")
    method = ir.Attr(hook.node, ir.Name(hook.node, "self"), then)
    return [ir.Assign(hook.node, [loss], call), ir.ExprStmt(hook.node, ir.Call(hook.node, method, [ir.Arg(loss)]))]


def _run(interp: Interpreter, cls: ClassRef, name: str) -> Value:
    hook = _hook(interp, cls, name)
    return interp.evaluate(_call(hook)) if hook is not None else NOTHING


def _calls(interp: Interpreter, cls: ClassRef, hooks: Mapping[str, Sequence[str]]) -> list[ir.Stmt]:
    found = ((_hook(interp, cls, name), given) for name, given in hooks.items())
    return [stmt for hook, given in found if hook is not None for stmt in _called(hook, given)]


def _call(hook: ir.Function, given: Sequence[str] = ()) -> ir.Call:
    arguments = [ir.Arg(ir.Name(hook.node, value)) for value, _ in zip(given, hook.params[1:], strict=False)]
    return ir.Call(hook.node, ir.Attr(hook.node, ir.Name(hook.node, "self"), hook.name), arguments)


@method_transfer("configured")
def _configured(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self.optimizers()` or `self.lr_schedulers()`: the object where there is one, else all of them in their order."""
    kind: type[Optimizer | Scheduler] = Optimizer if name == "optimizers" else Scheduler
    found = _of_kind(obj.configured, kind)
    found = [one for number, one in enumerate(found) if one == UNKNOWN or one not in found[:number]]
    if len(found) == 1:
        return found[0]
    return ref(objects.new_list(interp, expr.node, found, exact=True)) if found else UNKNOWN


def _of_kind(value: Value, kind: type[Optimizer | Scheduler]) -> list[Value]:
    """The objects of a kind in what `configure_optimizers` returns: alone, in sequences, in dictionaries; each one out of sight beside them is unknown.

    What it returns on one path takes the place of what it returns on another: there are as many of them as on the path with the most.
    """
    ways = [_in_atom(atom, kind) for atom in value]
    return [reduce(join, each) for each in zip_longest(*(way for way in ways if way), fillvalue=NOTHING)]


def _in_atom(atom: Atom, kind: type[Optimizer | Scheduler]) -> list[Value]:
    match atom:
        case Ref(obj=obj) if isinstance(obj, kind):
            return [ref(obj)]
        case Tuple() | Ref(obj=Container()):
            in_order = any(refs(item, kind) for item in exact_items(frozenset({atom})) or ())
            unseen = (in_order and all(map(outside.is_unseen, held)) for held in _held(atom))
            return [each for held, out in zip(_held(atom), unseen) for each in ([UNKNOWN] if out else _of_kind(held, kind))]
    return []


def _held(atom: Tuple | Ref) -> Iterable[Value]:
    """What a tuple, a list or a dict holds."""
    items = exact_items(frozenset({atom}))
    if items is not None or not isinstance(atom, Ref):
        return items or ()
    heap, is_known = atom.obj.heap, isinstance(atom.obj, Dict) and atom.obj.exact
    return [held for slot, held in heap.items() if not (is_known and slot == "[]")]


@method_transfer("optimize")
def _optimize(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> Value:
    """What a framework does with the loss of a batch, which may be an entry of a dict: clear, go backward, step."""
    given = args.positional[0]
    entries = [d.heap["=loss"] for d in refs(given, Dict) if "=loss" in d.heap]
    loss = frozenset(a for a in given if isinstance(a, Tensor)).union(*entries)
    optimizer = _optimizer(interp, obj)
    interp.emit(Clear(), expr.node, {optimizer})
    backward(interp, expr, [loss or given], Arguments(), via="framework")
    interp.emit(Step(), expr.node, {optimizer})
    return NONE


@method_transfer("loss-of-trainer")
def _loss_of_trainer(interp: Interpreter, obj: Module | DerivedTrainer, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`super().compute_loss(model, inputs)`: the loss that the model puts out; a pair with all that it puts out, where that is asked for."""
    given = Arguments(args.positional[1:2], {k: v for k, v in args.keywords.items() if k == "inputs"})
    out = calls.call(interp, args.get(0, "model") or UNKNOWN, given, expr)
    loss = combine(interp.grad, [out])
    if loss is None:
        return UNKNOWN
    value: Value = frozenset({replace(computed(loss), scalar=True).tagged(Mark.LOSS)})
    asked = args.get(2, "return_outputs")
    known = constant_of(asked) if asked is not None else None
    return frozenset({Tuple((value, out))}) if known is not None and known.value else value if asked is None else join(value, UNKNOWN)


@method_transfer("evaluation-of-trainer")
def _evaluation_of_trainer(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self.evaluate()` puts the model into eval mode, and does nothing else to what is trained."""
    for module in (o for o in interp.reachable([ref(obj), *obj.heap.values()]) if isinstance(o, Module)):
        interp.emit(SetMode(callee=ir.render(expr.func)), expr.node, {module})
    return UNKNOWN


@method_transfer("backward-of-trainer")
def _backward_of_trainer(interp: Interpreter, obj: Module | DerivedTrainer, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`super().training_step(model, inputs)`: it switches to train mode, goes backward, and gives the number of the loss."""
    model = args.get(0, "model") or UNKNOWN
    for module in refs(model, Module):
        interp.emit(Train(), expr.node, {module}, certain=is_one(interp, module, expr))
    inputs = Arguments([model if refs(model, Module) else UNKNOWN, args.get(1, "inputs") or UNKNOWN])
    own = classes.find_member(interp, obj.cls, "compute_loss") if obj.cls is not None else None
    loss = _loss_of_trainer(interp, obj, name, inputs, expr) if own is None else interp.call(classes.bind(interp, own, obj), inputs, expr)
    backward(interp, expr, [_scaled_by_trainer(interp, obj, loss, expr)], Arguments(), via="framework")
    return frozenset(detached(a) for a in loss if isinstance(a, Tensor)) or UNKNOWN


@method_transfer("wrapped-by-trainer")
def _wrapped_by_trainer(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self._wrap_model(self.model_wrapped)`: a form of the model that the Trainer keeps, whatever else is put around that."""
    given = args.get(0, "model") or UNKNOWN
    kept = refs(attribute(interp, obj, "model"), Module) if not refs(given, Module) else []
    return frozenset(map(Ref, kept)) or given


def _scaled_by_trainer(interp: Interpreter, obj: Module | DerivedTrainer, loss: Value, expr: ir.Call) -> Value:
    """The loss times the factor of the scaler that a Trainer keeps, where its subclass steps through that; one of the subclass's own may be another."""
    scalers = refs(attribute(interp, obj, "scaler"), Scaler) if isinstance(obj, DerivedTrainer) else []
    for scaler in scalers:
        scaled = calls.call_method(interp, scaler, "scale", Arguments([loss]), expr)
        always = scaler.symbolic and len(scalers) == 1
        loss = frozenset(a.tagged(Scaled(scaler, always)) if isinstance(a, Tensor) else a for a in (scaled if always else loss))
    return loss


@method_transfer("step-of-trainer")
def _step_of_trainer(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> Value:
    """What transformers' Trainer does after `training_step`, which has gone backward."""
    optimizer = _optimizer(interp, obj)
    interp.emit(Step(), expr.node, {optimizer})
    interp.emit(Clear(), expr.node, {optimizer})
    return NONE


def _optimizer(interp: Interpreter, obj: Module) -> Optimizer:
    """The optimizer of a class that a framework drives: the one that it configures, or one of all its parameters that the framework makes."""
    found = {o for value in _of_kind(obj.configured, Optimizer) for o in refs(value, Optimizer)}
    if len(found) == 1:
        return found.pop()
    made = interp.known(Optimizer, ("fit", obj.key, "optimizer"), "optimizer")
    made.symbolic, made.holds = True, frozenset({obj})
    return made


def _stepped_by_lightning(configured: Value) -> Iterator[Obj]:
    """The schedulers in what `configure_optimizers` returns: of a dict with an optimizer, what it has for "lr_scheduler", and nothing else."""
    for atom in configured:
        match atom:
            case Ref(obj=Scheduler() as scheduler):
                yield scheduler
            case Ref(obj=Dict() as given) if "=optimizer" in given.heap and given.exact:
                yield from _stepped_by_lightning(given.heap.get("=lr_scheduler", NOTHING))
            case Ref(obj=Instance() as wrapper):  # an object of the program that steps what it keeps
                yield from (s for held in wrapper.heap.values() for value in _of_kind(held, Scheduler) for s in refs(value, Scheduler))
            case Tuple() | Ref(obj=Container()):
                for held in _held(atom):
                    yield from _stepped_by_lightning(held)


@method_transfer("clip-optimizer")
def _clip_optimizer(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    optimizers = {a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)}
    interp.emit(Clip(), expr.node, optimizers)
    return UNKNOWN


@application(FrameworkModule, DerivedTrainer)
def _applied(interp: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> Value:
    """`self(x)` in the hooks of a framework's module."""
    own = calls.own_call(interp, obj, args, expr)
    if own is not None:
        return own
    member = classes.find_member(interp, obj.cls, "forward") if obj.cls is not None and interp.aside else None
    return (
        interp.call(classes.bind(interp, member, obj), args, expr)
        if member is not None
        else unfollowed.unknown_call(interp, Ref(obj), args, expr)
    )
