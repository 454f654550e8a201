"""Methods of the base classes that libraries give: constructors, forwards, and the rest."""

from __future__ import annotations

from looplint.domain.membership import ready, register
from looplint.domain.objects import Dataset, Distribution, FrameworkModule, Instance, Loader, Loss, Module, Obj, Scaler
from looplint.domain.tensors import combine, under
from looplint.domain.values import NONE, UNKNOWN, Arguments, External, Ref, Tensor, Value, ref, refs
from looplint.interpreter import calls, classes, hooks, inherited, objects, unfollowed
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.knowledge import naming
from looplint.semantics import distributions, loaders, losses, modes, module_containers, scalers
from looplint.semantics.unknown_objects import of_container
from looplint.syntax import ir


@transfer("base-constructor")
def _base_constructor(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`nn.Module.__init__(self)`."""
    for value in args.positional[:1]:
        ready(value)
    for value in args.positional[1:]:
        register(value, deep=True)
    if args.positional:
        given = args.handed_on(args.positional[1:])
        for obj in refs(args.positional[0], Module, Scaler, Distribution, Loader):
            _give(interp, obj, given, expr)
    return NONE


@hooks.super_called
def _on_super(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method of a library's base class."""
    if name == "__init__":
        ready(ref(obj))
        for value in args.values():
            register(value, deep=True)
        _give(interp, obj, args, expr)
        return UNKNOWN
    if isinstance(obj, Loss) and name in ("__call__", "forward"):
        bases = classes.external_bases(interp, obj.cls) if obj.cls is not None else ()
        return losses.of_library(interp, obj, next(iter(bases), ""), args, expr)
    if isinstance(obj, Module) and name in ("__call__", "forward"):
        return frozenset({combine(interp.grad, args.values()) or Tensor(frozenset({obj}), under(interp.grad, "yes"))})
    if objects.effect_of(obj, name) is not None or classes.method_of_a_base(interp, obj.cls, name) is not None:
        return calls.call_method(interp, obj, name, args, expr)
    if isinstance(obj, Module) and naming.samples(name):
        return calls.call(interp, objects.method_of_base(interp, obj, name), args, expr)
    if isinstance(obj, Dataset | FrameworkModule | Module):
        return unfollowed.quiet(interp, args)
    if isinstance(obj, Distribution):
        return calls.call_method(interp, obj, name, args, expr)
    held = of_container(interp, obj, name, args)
    if held is not None:
        return held
    if name in ("__enter__", "__exit__") and _knows_no_attributes(interp, obj):
        return ref(obj) if name == "__enter__" else UNKNOWN
    return inherited.result(obj, unfollowed.unknown_call(interp, Ref(obj), Arguments([ref(obj), *args.positional], args.keywords), expr))


def _give(interp: Interpreter, obj: Obj, args: Arguments, expr: ir.Call) -> None:
    """Note of an object what the arguments say with which the constructor of its base is called."""
    match obj:
        case Module():
            module_containers.fill_derived(interp, obj, args)
            modes.note_momentum_of_base(interp, obj, args)
        case Scaler():
            scalers.switch_by(obj, args)
        case Loader():
            loaders.take(interp, obj, args)
        case Distribution():
            distributions.take(interp, obj, args, expr)
        case Instance():
            inherited.keep(interp, obj, args)


def _knows_no_attributes(interp: Interpreter, obj: Obj) -> bool:
    """Whether a class of the program derives from contexts of torch or of Python alone: what else it keeps they never touch."""
    if obj.cls is None or not (bases := classes.base_values(interp, obj.cls)):
        return False
    return all(isinstance(base, External) and base.qualname.startswith(("torch.", "contextlib.")) for base in bases)
