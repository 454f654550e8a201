"""Methods of objects of which nothing is known: only what a name says beyond doubt is believed."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Engine, Instance, Module, Obj
from looplint.domain.tensors import combine, guess, is_array, under
from looplint.domain.values import UNKNOWN, Arguments, Iter, Ref, Tensor, Tuple, Unknown, Value, constant_of, ref
from looplint.flow.events import Backward, Clear, Escape, LoadState
from looplint.flow.remarks import EpochSet
from looplint.interpreter import classes, handed_out, inherited, objects, options_given, unfollowed
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import methods_of
from looplint.knowledge import naming
from looplint.knowledge.builtin_members import OF_CONTAINERS
from looplint.knowledge.lookup import tensor_method
from looplint.semantics import checkpoints, devices, pipelines
from looplint.semantics.gradients import backward, empties_gradient, fills_gradient
from looplint.semantics.outcomes import of_function
from looplint.semantics.pipeline_stages import run_stages, runs_stages
from looplint.semantics.tensor_evidence import note_discarded
from looplint.semantics.tensors import ask_for_gradient, sizes
from looplint.semantics.unknown_calls import note_measured
from looplint.syntax import ir


def on_unknown(interp: Interpreter, atom: Unknown, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Only what a method's name says beyond doubt is believed of an unknown object."""
    note_discarded(interp, atom, name, args, expr)
    measured = note_measured(interp, args, expr)
    if name == "cuda":
        devices.note_unconditional(interp)
    if atom.files and name in ("cpu", "to"):
        devices.note_moved(interp, atom.files, "cpu" if name == "cpu" else devices.kind(args.get(0, "device")))
    if name == "set_epoch":
        interp.remark(EpochSet(), expr.node, ())
    if name in ("train", "eval") and not args.keywords:
        for file in atom.files:
            file.holds_module = True
    if name in ("get", "pop", "__getitem__") and args.positional:
        key = constant_of(args.positional[0])
        checkpoints.note_key(frozenset({atom}), key.value if key else None)
    if atom.whole and name != "copy":
        atom = replace(atom, whole=False)
    if name in ("load_state_dict", "load_checkpoint", "restore") and args.values():
        given = args.values()
        interp.emit(LoadState(states=checkpoints.states_in(given), files=checkpoints.files_in(given)), expr.node, atom.deps)
    if name == "backward" and not args.positional:
        backward(interp, expr, [frozenset({atom})], args)
        return UNKNOWN
    if name == "backward" and _is_sent_backward(args):
        _send_backward(interp, args, expr)
        return unfollowed.unknown_call(interp, atom, args, expr) if interp.reachable(args.positional[1:]) else UNKNOWN
    if runs_stages(name, args):
        return run_stages(interp, atom.deps, expr)
    if name == "requires_grad_" and not _may_be_applied(interp, expr):
        return ask_for_gradient(interp, Tensor(), args, expr)
    if tensor_method(name) == "shape":
        return sizes(args, name)
    if name == "zero_grad" and not atom.deps:
        interp.emit(Clear(), expr.node, (), certain=False)
        return UNKNOWN
    if name in ("zero_grad", "step") and not args.positional and not args.keywords and atom.deps:
        interp.emit(Escape(callee=ir.render(expr.func)), expr.node, atom.deps)
        return UNKNOWN
    if name == "zero_grad":
        interp.emit(Clear(), expr.node, (), certain=False)
        return UNKNOWN
    if (name == "zero_" and "grad" in ir.render(expr.func)) or empties_gradient(interp, name, args, expr):
        interp.emit(Clear(), expr.node, atom.deps, certain=False)
        return UNKNOWN
    if fills_gradient(name, expr):
        interp.emit(Backward(manual=True), expr.node, atom.deps, certain=False)
        return UNKNOWN
    if name in ("softmax", "log_softmax", "sigmoid"):
        return frozenset({Tensor(atom.deps, under(interp.grad, "maybe"), outcomes=of_function(interp, name, UNKNOWN, expr, own=True))})
    if interp.reachable(args.values()):
        return unfollowed.unknown_call(interp, atom, args, expr)
    handed_out.hand_out_callables(interp, args.values())
    tensor = combine(interp.grad, args.values())
    if not (measured or naming.takes_notes(name) or naming.takes_an_entry(name)):
        unfollowed.note_entrusted(interp, tensor, expr)
    if tensor is not None and tensor.graph != "no" and not measured and _may_go_backward(name, expr):
        subjects = sorted(tensor.sources, key=lambda o: o.name)
        interp.emit(Escape(callee=ir.render(expr.func), output=True, forwards=tensor.forwards), expr.node, subjects, certain=False)
    if naming.takes_an_entry(name) and not measured:
        interp.uses.handed_on.update(*handed_out.graphs_in(args.values()))
    if tensor is not None and not is_array(tensor):
        return frozenset({guess(interp.grad, tensor, atom.deps)})
    made = unfollowed.made_of(args.values(), atom.deps)
    if atom.deps and naming.configures_optimizers(name):
        return frozenset({Unknown(made.deps, parameters=True)})
    return frozenset({made if made.parameters else atom})


@methods_of(Instance)
def _on_instance(interp: Interpreter, obj: Instance, name: str, args: Arguments, expr: ir.Call) -> Value:
    """A method that no class in sight gives an object."""
    if obj.cls is not None and pipelines.is_pipeline(interp, obj.cls):
        return pipelines.inherited(interp, obj, name, args)
    held = _entries_out_of_sight(obj, name, args) if obj.symbolic and obj.cls is None else of_container(interp, obj, name, args)
    if held is not None:
        return held
    if name == "backward" and _is_sent_backward(args):
        _send_backward(interp, args, expr)
    given = Arguments([ref(obj), *args.positional], args.keywords)
    return inherited.result(obj, unfollowed.unknown_call(interp, Ref(obj), given, expr))


def of_container(interp: Interpreter, obj: Obj, name: str, args: Arguments) -> Value | None:
    """What a method of Python's own containers gives that a class of the program derives from: it does nothing to what the object keeps."""
    if name not in OF_CONTAINERS or not isinstance(obj, Instance) or obj.cls is None or not classes.is_container(interp, obj.cls):
        return None
    if name == "update" and options_given.has_entries_as_attributes(interp, obj.cls):
        options_given.take_over(interp, obj, args)
    unfollowed.put_off(interp, args)
    kept = interp.reachable([ref(obj), *args.values()])
    return frozenset({Unknown(frozenset(o for o in kept if isinstance(o, Module | Engine)))})


def _entries_out_of_sight(obj: Instance, name: str, args: Arguments) -> Value | None:
    """What a dict that comes from out of sight gives of its entries, if their use tells what they are."""
    each = objects.entry_out_of_sight(obj, None) if name in ("keys", "values", "items") else UNKNOWN
    match name:
        case "keys" if each != UNKNOWN:
            return frozenset({Iter(UNKNOWN)})
        case "values" if each != UNKNOWN:
            return frozenset({Iter(each)})
        case "items" if each != UNKNOWN:
            return frozenset({Iter(frozenset({Tuple((UNKNOWN, each))}))})
        case "get" | "pop" if args.positional:
            found = objects.entry_out_of_sight(obj, constant_of(args.positional[0]))
            return found if found != UNKNOWN else None
    return None


def _is_sent_backward(args: Arguments) -> bool:
    return bool(args.positional) and any(isinstance(a, Tensor) and (a.graph == "yes" or a.forwards) for a in args.positional[0])


def _send_backward(interp: Interpreter, args: Arguments, expr: ir.Call) -> None:
    """An engine, a strategy, a booster: all of them send the loss backward, and what they do with an optimizer is not known."""
    backward(interp, expr, args.positional[:1], Arguments(), via="accelerator")


def _may_go_backward(name: str, expr: ir.Call) -> bool:
    """Whether a method may send backward what it is given: by its name, or because nothing takes a result and it does not only note something."""
    return naming.trains(name) or (expr.dropped and not naming.takes_notes(name))


def _may_be_applied(interp: Interpreter, expr: ir.Call) -> bool:
    """Whether the object of a method may be a module: the function calls it, or its parameters are requested."""
    named = expr.func.value if isinstance(expr.func, ir.Attr) else None
    usage = interp.frame.function.usage.get(named.id) if isinstance(named, ir.Name) else None
    return usage is None or usage.called or bool(usage.methods & {"parameters", "named_parameters", "modules", "eval", "train"})
