"""Lightning's manual optimization: the framework runs the epochs and the batches, the user's hooks do the rest of the loop.

Source: Lightning's documentation, "Manual Optimization": `self.optimizers()` gives what `configure_optimizers` made, and clearing, stepping and
scheduling are the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from looplint.domain.objects import Dict, FrameworkModule, Module, Obj, Optimizer, Scheduler
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, ClassRef, Ref, Tuple, Value, exact_items, ref
from looplint.flow.events import Clip
from looplint.interpreter import calls, classes, hooks, unfollowed
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import application, method_transfer
from looplint.semantics.registration import begin
from looplint.syntax import ir

# The hooks with what the framework gives them.
_BEFORE_EPOCH = {"on_train_epoch_start": ()}
_BATCH = {
    "on_train_batch_start": ("batch", "batch_idx"),
    "training_step": ("batch", "batch_idx"),
    "on_train_batch_end": ("outputs", "batch", "batch_idx"),
}
_AFTER_EPOCH = {"on_validation_epoch_end": (), "on_train_epoch_end": (), "training_epoch_end": ("outputs",)}


def _runs_its_own(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether the class of a framework's module sends its losses backward itself."""
    return classes.find_member(interp, cls, "training_step") is not None and any(
        "manual_backward" in each.cls.usage for each in classes.mro(interp, cls)
    )


@hooks.loop_of_framework
def loop(interp: Interpreter, cls: ClassRef) -> Callable[[], None] | None:
    """Follow a class that optimizes by hand; None for one that leaves that to the framework."""
    return (lambda: _follow(interp, cls)) if _runs_its_own(interp, cls) else None


def _follow(interp: Interpreter, cls: ClassRef) -> None:
    """Run the constructor, `configure_optimizers`, and then the hooks of an epoch in the order in which the framework calls them."""
    node = cls.cls.node
    instance = interp.known(Module, ("manual", id(cls.cls)), cls.cls.name, cls)
    instance.manual = True
    begin(interp, instance, cls)
    interp.frame = Frame(ir.Function("<fit>", "<fit>", [], [], [], node), cls.module, None, interp.context(None, "fit", id(node)), 0)
    interp.frame.locals["self"] = ref(instance)
    _run(interp, instance, cls, "__init__")
    instance.configured = _run(interp, instance, cls, "configure_optimizers")
    target = ir.Display(node, "tuple", [ir.Name(node, "batch_idx"), ir.Name(node, "batch")])
    batches = ir.Call(node, ir.Name(node, "enumerate"), [ir.Arg(ir.Name(node, "loader"))])
    batch = ir.For(node, target, batches, _calls(interp, cls, _BATCH), [], frozenset({"batch_idx", "batch"}))
    body = [*_calls(interp, cls, _BEFORE_EPOCH), batch, *_calls(interp, cls, _AFTER_EPOCH)]
    epochs = ir.Call(node, ir.Name(node, "range"), [ir.Arg(ir.Name(node, "max_epochs"))])
    step = classes.find_member(interp, cls, "training_step")
    assert step is not None
    interp.run_block([ir.For(step[0].node, ir.Name(node, "epoch"), epochs, body, [], frozenset({"epoch"}))])


def _run(interp: Interpreter, instance: Module, cls: ClassRef, name: str) -> Value:
    found = classes.find_member(interp, cls, name)
    return interp.evaluate(_call(found[0], name)) if found is not None and isinstance(found[0], ir.Function) else NOTHING


def _calls(interp: Interpreter, cls: ClassRef, hooks: Mapping[str, Sequence[str]]) -> list[ir.Stmt]:
    found = [(name, classes.find_member(interp, cls, name)) for name in hooks]
    return [ir.ExprStmt(f[0].node, _call(f[0], name, hooks[name])) for name, f in found if f is not None and isinstance(f[0], ir.Function)]


def _call(function: ir.Function, name: str, given: Sequence[str] = ()) -> ir.Call:
    arguments = [ir.Arg(ir.Name(function.node, value)) for value, _ in zip(given, function.params[1:], strict=False)]
    return ir.Call(function.node, ir.Attr(function.node, ir.Name(function.node, "self"), name), arguments)


@method_transfer("configured")
def _configured(interp: Interpreter, obj: Module, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`self.optimizers()` or `self.lr_schedulers()`: the object where there is one, else all of them in their order."""
    found = list(dict.fromkeys(_of_kind(obj.configured, Optimizer if name == "optimizers" else Scheduler)))
    if len(found) == 1:
        return ref(found[0])
    return frozenset({Tuple(tuple(ref(o) for o in found))}) if found else UNKNOWN


def _of_kind(value: Value, kind: type[Obj]) -> Iterator[Obj]:
    """The objects of a kind in what `configure_optimizers` returns: alone, in sequences, in dictionaries."""

    for item in exact_items(value) or ():
        yield from _of_kind(item, kind)
    for atom in value:
        if isinstance(atom, Ref) and isinstance(atom.obj, kind):
            yield atom.obj
        elif isinstance(atom, Ref) and isinstance(atom.obj, Dict):
            for slot in atom.obj.heap.values():
                yield from _of_kind(slot, kind)


@method_transfer("clip-optimizer")
def _clip_optimizer(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    optimizers = {a.obj for a in args.get(0, "optimizer") or NOTHING if isinstance(a, Ref)}
    interp.emit(Clip(), expr.node, optimizers)
    return UNKNOWN


@application(FrameworkModule)
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
