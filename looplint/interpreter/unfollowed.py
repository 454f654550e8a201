"""Calls of code that is not followed: what it may have done to what it was given."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.domain.membership import parameters_in
from looplint.domain.objects import Engine, Instance, Loader, Loss, Module, Obj, Optimizer, Scaler, Scheduler
from looplint.domain.tags import MadeOutOfSight, Mark
from looplint.domain.tensors import combine, guess, is_array, is_loss_with_graph
from looplint.domain.values import UNKNOWN, Arguments, Atom, EventKey, Func, Method, Partial, Ref, Tensor, Unknown, Value
from looplint.flow.events import Escape, LoadState
from looplint.flow.remarks import Entrust, EpochSet
from looplint.interpreter import handed_out, hooks
from looplint.interpreter.filled import may_fill
from looplint.interpreter.interpreter import TRACKED, Interpreter
from looplint.knowledge import naming
from looplint.knowledge.pytorch import names_a_loss
from looplint.syntax import ir


def quiet(interp: Interpreter, args: Arguments) -> Value:
    """Harmless code that cannot be followed: what it returns may depend on the tensors it was given."""
    tensor = combine(interp.grad, args.values())
    return UNKNOWN if tensor is None else frozenset({guess(interp.grad, tensor)})


def unknown_call(interp: Interpreter, atom: Atom | None, args: Arguments, expr: ir.Expr) -> Value:
    """Code that cannot be followed: whatever it was given may be in any state now."""
    path, name = ((ir.path_of(expr.func) or ""), ir.called_name(expr)) if isinstance(expr, ir.Call) else ("", "")
    if naming.sets_rates(name):
        interp.flags.sets_rates = True
        return quiet(interp, args)  # `adjust_learning_rate(optimizer, epoch)` has to do with rates, and not with gradients
    if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.attr == "set_epoch":
        interp.remark(EpochSet(), expr.node, ())  # of a sampler that the program may keep there
    values = args.values()
    measured = hooks.unknown_called.run(interp, args, expr)
    if naming.records(name) or naming.logs(path) or (naming.saves(name) and not any(_can_train(a) for value in values for a in value)):
        put_off(interp, args)
        return quiet(interp, args)
    if naming.asks(name):
        return put_off(interp, args)
    may_fill(interp, values)
    held = interp.held_by(values)
    reached: list[Obj] = [obj for obj in held if isinstance(obj, TRACKED)]
    for obj in held:
        obj.shown = obj.shown or not interp.aside
    if naming.keeps_checkpoints(name):
        _restored(interp, reached, expr)  # now or later
        return put_off(interp, args)
    handed_out.hand_out_callables(interp, values)
    lent = handed_out.note_lent(interp, values)
    for value in values:
        for func in (a for a in value if isinstance(a, Func)):
            if func.bound is not None:
                reached.extend(interp.reachable([func.bound]))
        for method in (a for a in value if isinstance(a, Method) and isinstance(a.obj, Ref)):
            if isinstance(method.obj, Ref):
                reached.append(method.obj.obj)
    reached = list(dict.fromkeys(reached))
    restores = naming.loads(name) and not any(_can_train(a) for value in values for a in value)
    if restores:
        reached = _restored(interp, reached, expr)
    if naming.averages(name) and len(reached) > 1 and all(isinstance(o, Module) for o in reached):
        return quiet(interp, args)
    tensor = combine(interp.grad, values)
    note_entrusted(interp, tensor, expr)
    for obj in reached:
        obj.lost = obj.lost or not interp.aside
        if isinstance(obj, Module):
            obj.handed_over = True
    note_differentiated(name, reached)
    kept = _kept(interp, atom, args, reached)
    escape = None
    if not _computes_loss(expr, reached, kept) and (reached or (tensor is not None and tensor.graph != "no" and not measured)):
        subjects = reached or sorted(tensor.sources, key=lambda o: o.name) if tensor else reached
        callee = ir.render(expr.func) if isinstance(expr, ir.Call) else ""
        forwards = tensor.forwards if tensor is not None and not reached else frozenset()
        graphs = _graphs_in(values, tensor, lent) if isinstance(expr, ir.Call) and expr.dropped else None
        escape = interp.emit(
            Escape(callee=callee, output=not reached, forwards=forwards, kept=kept, restores=restores, graphs=graphs),
            expr.node,
            subjects,
            certain=bool(reached),
        )
    modules = frozenset(o for o in reached if isinstance(o, Module | Engine))
    if tensor is not None and not is_array(tensor):
        made = guess(interp.grad, tensor, modules)
        if escape is not None and escape.output and not isinstance(atom, Func):
            made = _of_outputs(interp, escape, name, expr, tensor, made)
        return frozenset({made})
    deps = modules.union(*(a.deps for v in values for a in v if isinstance(a, Unknown)), atom.deps if isinstance(atom, Unknown) else ())
    return frozenset({made_of(values, deps)})


def _graphs_in(values: Iterable[Value], tensor: Tensor | None, lent: set[EventKey]) -> frozenset[EventKey] | None:
    """The forwards whose graphs lie in some values, or in objects among them; None where one is a function, or may hold what code out of sight has made."""
    if any(isinstance(a, Func | Method | Partial) or (isinstance(a, Unknown) and a.deps) for value in values for a in value):
        return None
    return frozenset(lent | tensor.forwards) if tensor is not None else frozenset(lent)


def lose(interp: Interpreter, subjects: list[Obj], expr: ir.Expr) -> Value:
    """A call that hands some objects to code out of sight, and gives nothing of them but what that may."""
    for obj in subjects:
        obj.lost = obj.lost or not interp.aside
        if isinstance(obj, Module):
            obj.handed_over = True
    if subjects:
        interp.emit(Escape(callee=ir.render(expr.func) if isinstance(expr, ir.Call) else ""), expr.node, subjects)
    return frozenset({Unknown(frozenset(o for o in subjects if isinstance(o, Module | Engine)))})


def note_entrusted(interp: Interpreter, tensor: Tensor | None, expr: ir.Expr) -> None:
    """Note where code out of sight gets a loss that it may send backward."""
    if tensor is not None and is_loss_with_graph(tensor):
        interp.remark(Entrust(), expr.node, tensor.sources)


def _restored(interp: Interpreter, reached: list[Obj], expr: ir.Expr) -> list[Obj]:
    """A function that loads states gives them to optimizers, schedulers and scalers, and no more; a model may come out of it in any mode."""
    if given := [o for o in reached if isinstance(o, Optimizer | Scheduler | Scaler)]:
        interp.emit(LoadState(states=frozenset(), files=frozenset()), expr.node, given, certain=False)
    return [o for o in reached if not isinstance(o, Optimizer | Scheduler | Scaler)]


def _can_train(atom: Atom) -> bool:
    """Whether code that is given this can do more than read states: it has data, or may call methods of the program."""
    if not isinstance(atom, Ref):
        return isinstance(atom, Func)
    return isinstance(atom.obj, Loader) or (isinstance(atom.obj, Instance) and atom.obj.cls is not None and bool(atom.obj.cls.cls.methods))


def note_differentiated(name: str, given: Iterable[Obj]) -> None:
    """What a function of this name is given is differentiated in it, where it differentiates by its name."""
    if naming.differentiates(name):
        for obj in given:
            if isinstance(obj, Module):
                obj.differentiates = True


def _computes_loss(expr: ir.Expr, reached: Iterable[Obj], kept: frozenset[Obj]) -> bool:
    """Whether a call is one of a loss by its name, of models alone, and its result is used: `diffusion.training_losses(model, x, t)`, `get_attribute(model, "loss")`.

    What the object keeps besides, whose loss it is, has no part in it: the optimizer of `self.trainer.criterion(output, y)`.
    """
    if not isinstance(expr, ir.Call) or expr.dropped or not reached:
        return False
    name = ir.called_name(expr)
    asked = naming.computes_loss(name) or (naming.gives_attributes(name) and any(_is_of_a_loss(arg.value) for arg in expr.args))
    return asked and all(isinstance(o, Module | Loss) for o in reached if o not in kept)


def _is_of_a_loss(expr: ir.Expr) -> bool:
    """Whether an expression is a text that names a loss."""
    return isinstance(expr, ir.Const) and isinstance(expr.value, str) and names_a_loss(expr.value)


def _of_outputs(interp: Interpreter, escape: Escape, name: str, expr: ir.Expr, given: Tensor, made: Tensor) -> Tensor:
    """What code out of sight makes of outputs: a loss by its name, or what shows that they have not gone backward where a loss is computed of it.

    What gets a loss, or trains by its name, may send it backward and give anything.
    """
    if _gets_a_loss(expr, given) or naming.trains(name):
        return made
    if naming.computes_loss(name) and isinstance(expr, ir.Call) and not expr.dropped:
        interp.uses.made_into_a_loss.add(escape.key)
    made_of = interp.uses.made_out_of_sight
    made_of[escape.key] = made_of.get(escape.key, frozenset()) | escape.forwards
    return made.tagged(MadeOutOfSight(escape.key))


def _gets_a_loss(expr: ir.Expr, given: Tensor) -> bool:
    """Whether what is called gets a loss, as far as is known of what it is given, and of the names of that."""
    paths = (ir.path_of(arg.value) or "" for arg in expr.args) if isinstance(expr, ir.Call) else ()
    return Mark.LOSS in given.tags or any(names_a_loss(path.rpartition(".")[2]) for path in paths)


def _kept(interp: Interpreter, atom: Atom | None, args: Arguments, reached: Iterable[Obj]) -> frozenset[Obj]:
    """What a method out of sight reaches only as what its own object keeps."""
    if not isinstance(atom, Ref) or not args.positional or atom not in args.positional[0]:
        return frozenset()
    return frozenset(reached).difference([atom.obj], interp.reachable([*args.positional[1:], *args.keywords.values()]))


def made_of(values: Iterable[Value], deps: frozenset[Obj]) -> Unknown:
    """What depends on some modules, and on those whose parameters are among some values: an optimizer may have been made of them."""
    parameters = [each for value in values for each in parameters_in(value)]
    return Unknown(deps.union(*(p.sources for p in parameters)), parameters=bool(parameters))


def put_off(interp: Interpreter, args: Arguments) -> Value:
    """Nothing happens to what is given; functions among it may be called later, with what is given beside them."""
    functions = [value for value in args.values() if any(isinstance(a, Func) for a in value)]
    interp.agenda.values.extend(functions)
    if functions:
        may_fill(interp, args.values())
    return UNKNOWN
