"""Gradients: filled by a backward, cleared, clipped, and computed by `autograd.grad`."""

from __future__ import annotations

from typing import Literal

from looplint.dataclass import replace
from looplint.domain.membership import register
from looplint.domain.objects import Engine, List, Module, Obj
from looplint.domain.tags import (
    NO_TAGS,
    Mark,
    Scaled,
    SentBackward,
    Tags,
    is_built_around,
    is_loss_or_mean,
    is_multiplied,
    is_sum,
    kept_at,
    told_by,
    went_backward,
)
from looplint.domain.tensors import combine, comes_from_parameters, detached, of_input, tensors_in, watched
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    External,
    Method,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    may_be_unknown,
    ref,
)
from looplint.flow.events import Backward, Clear, Clip
from looplint.flow.remarks import Differentiate
from looplint.interpreter import gradient_uses, hooks, iterators, unfollowed
from looplint.interpreter.elements import element_of
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import method_transfer, transfer
from looplint.interpreter.turns import is_one
from looplint.knowledge.pytorch import GRADIENTS
from looplint.semantics import structures
from looplint.semantics.hand_made_steps import steps_by_hand
from looplint.semantics.outcomes import tags_of_forward
from looplint.semantics.parameters import add_by_hand, held, is_zero, may_thaw, note_written, picked, takes_from_some, want_gradients
from looplint.syntax import ir

_LIMITS = ("max_norm", "clip_value", "clip_val")


def backward(interp: Interpreter, expr: ir.Call, losses: list[Value], args: Arguments, via: str = "") -> None:
    """Gradients flow to every module behind the losses, also where no new graph is recorded."""
    tensor = combine(True, losses)
    deps = frozenset().union(*(a.deps for v in losses for a in v if isinstance(a, Unknown)))
    sources = deps
    tags = NO_TAGS
    if tensor is not None:
        sources |= tensor.sources
        tags = tensor.tags.union(*(tags_of_forward(interp, a) for a in losses[0] if isinstance(a, Tensor)))
        interp.uses.trained |= tensor.forwards
        interp.uses.supervising |= tensor.origins | told_by(tensor.tags)
        interp.uses.going_backward |= kept_at(tensor.tags)
    with_loss = bool(args.positional) and losses == args.positional[:1]
    scaling = tags | _scaled_by(args.get(int(with_loss), "gradient", "grad_tensors") or NOTHING)
    retain = args.get(1, "retain_graph") if not via else args.keywords.get("retain_graph")
    create = args.get(2, "create_graph") if not via else args.keywords.get("create_graph")
    event = Backward(
        known=tensor is not None and Mark.UNKNOWN not in tags and not any(may_be_unknown(v) for v in losses),
        cut_off=tensor is not None
        and Mark.LEAF in tensor.tags
        and Mark.ADDED_TO not in tensor.tags
        and tensor.graph == "yes"
        and not sources,
        forwards=tensor.forwards if tensor else frozenset(),
        of_parameters=frozenset(a for value in losses for a in value if isinstance(a, Tensor) and comes_from_parameters(a)),
        reaches_out=is_built_around(tags, len(interp.loops)),
        mean=_is_mean(tags),
        scaling=_scaling(scaling),
        scalers=frozenset(tag.scaler for tag in scaling if isinstance(tag, Scaled) and tag.always),
        via=via,
        retain_graph=_flag(retain),
        create_graph=_flag(create),
        repeated=interp.comprehensions > 0,
    )
    interp.emit(event, expr.node, sources)
    if event.retain_graph and interp.loops:
        interp.loops[-1].retains = True
    if interp.alive:
        _prove_graph(interp, expr, event, given=with_loss)


def _prove_graph(interp: Interpreter, expr: ir.Call, event: Backward, given: bool) -> None:
    """What went backward had a graph, or the program would have ended there; so has what it was made of by a factor."""
    loss = expr.args[0].value if given and expr.args else expr.func.value if isinstance(expr.func, ir.Attr) else expr.func
    while True:
        match loss:
            case ir.Call(func=ir.Attr(attr="scale"), args=[ir.Arg(value=inner)]) | ir.Binary(op="/", left=inner):
                loss = inner
            case _:
                break
    if isinstance(loss, ir.Name) and interp.grad is not False:
        value = interp.frame.locals.get(loss.id, NOTHING)
        if value and all(isinstance(a, Tensor) for a in value):
            tensors = (a for a in value if isinstance(a, Tensor))
            interp.frame.locals[loss.id] = frozenset(replace(a, graph="yes").tagged(SentBackward(event.key)) for a in tensors)


def _is_mean(tags: Tags) -> bool:
    """Whether a loss is the mean over one batch still: not divided, no sum."""
    return (
        is_loss_or_mean(tags) and Mark.MIXED not in tags and Mark.SUM_REDUCTION not in tags and not is_sum(tags) and not is_multiplied(tags)
    )


def _scaled_by(gradient: Value) -> Tags:
    """What the gradient with which a tensor goes backward says of scalers: `features.backward(scaler.scale(gradient))`."""
    return frozenset(tag for t in tensors_in([gradient]) for tag in t.tags if isinstance(tag, Scaled))


def _scaling(tags: Tags) -> Literal["scaled", "maybe-scaled", ""]:
    """Whether a scaler has multiplied the loss: on every path, or on some."""
    certain = {tag.always for tag in tags if isinstance(tag, Scaled)}
    return "maybe-scaled" if False in certain else "scaled" if certain else ""


def _flag(value: Value | None) -> bool | None:
    if value is None:
        return False
    known = constant_of(value)
    return bool(known.value) if known is not None else None


@transfer("backward-function")
def _backward_function(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    backward(interp, expr, args.positional[:1], args)
    return NONE


@method_transfer("backward-argument")
def _backward_argument(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """`accelerator.backward(loss)`, `engine.backward(loss)`, `optimizer.backward(loss)`."""
    if isinstance(obj, Module) and not args.positional:
        return unfollowed.unknown_call(interp, Ref(obj), Arguments([ref(obj)]), expr)
    losses = args.positional[:1] or [args.keywords.get("loss", NOTHING)]
    if isinstance(obj, Engine):
        losses = [frozenset({replace(combine(True, losses) or Tensor(), sources=frozenset({obj}))})]
    backward(interp, expr, losses, args, via="" if isinstance(obj, Module) and obj.driven else obj.kind)
    return NONE


@transfer("autograd-grad")
def _autograd_grad(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """torch.autograd.grad fills no .grad, but what it differentiates is trained or attacked, not evaluated."""
    tensor = combine(True, args.values()) or Tensor()
    inputs = args.get(1, "inputs") or NOTHING
    (interp.uses.attacked if _no_parameters(interp, inputs) else interp.uses.trained).update(tensor.forwards)
    _note_differentiated(interp, tensor, expr)
    interp.uses.going_backward |= kept_at(tensor.tags)
    create = constant_of(args.keywords["create_graph"]) if "create_graph" in args.keywords else None
    tags = frozenset(tag for tag in tensor.tags if tag is not Mark.LOSS and not isinstance(tag, SentBackward))
    return frozenset({replace(tensor, graph="yes" if create and create.value else "maybe", tags=tags)})


@transfer("derivative")
def _derivative(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`torch.autograd.functional.jacobian(loss, out)` has no graph itself, unless it is asked for one."""
    result = unfollowed.unknown_call(interp, None, args, expr)
    tensor = combine(interp.grad, args.values())
    if tensor is None:
        return result
    _note_differentiated(interp, tensor, expr)
    create = args.get(2, "create_graph") if qualname.endswith(("jacobian", "hessian")) else args.get(3, "create_graph")
    known = constant_of(create) if create is not None else None
    return frozenset({detached(tensor)}) if create is None or (known is not None and not known.value) else result


def _note_differentiated(interp: Interpreter, tensor: Tensor, expr: ir.Call) -> None:
    interp.uses.differentiated |= tensor.forwards
    interp.remark(Differentiate(forwards=tensor.forwards, again=went_backward(tensor.tags)), expr.node, ())


def _no_parameters(interp: Interpreter, value: Value) -> bool:
    """Whether all inputs of a gradient are tensors, or parts of a batch and other things that are not known, and none is a parameter."""
    atoms = (
        element_of(interp, value) if any(isinstance(a, Tuple) or (isinstance(a, Ref) and isinstance(a.obj, List)) for a in value) else value
    )
    return bool(atoms) and all(
        isinstance(a, Tensor | Unknown | Method) for a in atoms
    )  # `batch.pos` of an unknown batch is a method for all one knows


@method_transfer("clear")
def _clear(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.emit(Clear(set_to_none=args.get(0, "set_to_none")), expr.node, {obj}, certain=is_one(interp, obj, expr))
    return NONE


def fills_gradient(method: str, expr: ir.Call) -> bool:
    """Whether a call adds to a gradient, or copies another one there: `master.grad.copy_(half.grad)`."""
    return method in ("add_", "sub_", "copy_") and isinstance(expr.func, ir.Attr) and gradient_uses.is_gradient(expr.func.value)


def empties_gradient(interp: Interpreter, method: str, args: Arguments, expr: ir.Call) -> bool:
    """Whether a call sets a gradient to zero, however its values are reached: `p.grad.zero_()`, `p.grad.data.fill_(0)`."""
    if method != "zero_" and not (method == "fill_" and is_zero(args)):
        return False
    return isinstance(expr.func, ir.Attr) and gradient_uses.is_gradient_or_its_name(expr.func.value, interp.frame.function)


@transfer("clip")
def clip(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    given = args.get(0, "parameters", "module") or NOTHING
    sources, whole = held(interp, given)
    norm = args.get(1, *_LIMITS)
    measures = norm is not None and _infinite(norm)
    iterators.exhaust(interp, given, expr.node, "loop" if measures else "clip", iterators.argument(expr, 0, "parameters"))
    if measures:
        return frozenset({Tensor()})  # clips nothing
    interp.emit(Clip(whole=whole, scaled=_in_scale(norm), limit=_names_in_limit(expr)), expr.node, sources)
    return frozenset({Tensor()})


def _names_in_limit(expr: ir.Call) -> frozenset[str]:
    """The dotted names of which the limit of a clip is computed."""
    second = [arg for arg in expr.args if not arg.keyword and not arg.star][1:2]
    limits = [arg.value for arg in expr.args if arg in second or arg.keyword in _LIMITS]
    return frozenset(name for limit in limits for name in ir.paths_in(limit))


def _infinite(value: Value) -> bool:
    known = constant_of(value)
    if known is not None:
        return bool(known.value == float("inf"))
    return all(isinstance(a, External) and a.qualname.endswith(".inf") for a in value)


@method_transfer("clip-own")
def _clip_own(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    interp.emit(Clip(scaled=_in_scale(args.get(0, *_LIMITS))), expr.node, {obj})
    return UNKNOWN


def _in_scale(limit: Value | None) -> bool:
    """Whether the limit of a clip is multiplied by the factor of a scaler: `max_norm * scaler.get_scale()`."""
    return any(isinstance(a, Number) and "scale" in a.units for a in limit or NOTHING)


@hooks.attribute_assigned
def _attribute_assigned(interp: Interpreter, atom: Params | Tensor | Unknown, target: ir.Attr, value: Value) -> None:
    match atom:
        case Params() | Tensor() | Unknown() if target.attr in GRADIENTS:
            _replace_gradient(interp, target, atom, value)
        case Params() if target.attr == "requires_grad":
            _freeze(interp, atom, target, value)
        case Params() if target.attr == "data":
            note_written(interp, atom, value)
            for obj in atom.sources:
                if isinstance(obj, Module):
                    obj.refilled = True
        case Tensor() | Unknown() if target.attr == "requires_grad":
            _ask_for_gradient(interp, target, atom, value)
        case Tensor():
            structures.written_to(interp, target, value)
        case Unknown():
            register(value)  # it may be a part of a model, found by its path


def _ask_for_gradient(interp: Interpreter, target: ir.Attr, atom: Tensor | Unknown, value: Value) -> None:
    """`images.requires_grad = True`: what is computed from them is differentiated by them. What is not known may be a parameter."""
    known = constant_of(value)
    if known is None or known.value:
        may_thaw(interp, atom, target.node)
    if known is not None and known.value and isinstance(target.value, ir.Name):
        asked = watched(atom) if isinstance(atom, Tensor) else Tensor(graph="yes", tags=frozenset({Mark.INPUT_GRADIENT}))
        interp.frame.locals[target.value.id] = frozenset({asked})


def _replace_gradient(interp: Interpreter, target: ir.Attr, owner: Params | Tensor | Unknown, value: Value) -> None:
    """`p.grad = None`, or another gradient: what was added up so far is gone."""
    sources, certain = (
        owner.deps if isinstance(owner, Unknown) else owner.sources,
        isinstance(owner, Params) and owner.exact and not picked(interp, target.value),
    )
    of_inputs = isinstance(owner, Tensor) and of_input(owner)
    if not any(gradient_uses.is_missing(guard.test, guard.held, target) for guard in interp.guards):
        interp.emit(Clear(of_inputs=of_inputs), target.node, sources, certain=certain)
    if value != NONE:
        copied = _copied_from(interp, target, value) - sources
        interp.emit(Backward(manual=True, copied_from=copied, of_inputs=of_inputs), target.node, sources, certain=certain)


def _copied_from(interp: Interpreter, target: ir.Attr, value: Value) -> frozenset[Module]:
    """The model whose gradients another one's get as they are, each in turn, if on another device: `shared.grad = p.grad.cpu()`."""
    given = (s for s in ir.statements(interp.frame.function.body) if isinstance(s, ir.Assign) and any(to is target for to in s.targets))
    if len(value) != 1 or not any(gradient_uses.is_gradient(stmt.value) for stmt in given):
        return frozenset()
    owners = frozenset().union(*(a.sources for a in value if isinstance(a, Params | Tensor)))
    modules = frozenset(o for o in owners if isinstance(o, Module))
    return modules if len(modules) == len(owners) == 1 else frozenset()


def _freeze(interp: Interpreter, params: Params, target: ir.Attr, value: Value) -> None:
    """`p.requires_grad = value`."""
    owners = interp.frame.locals.get(target.value.id, NOTHING) if isinstance(target.value, ir.Name) else frozenset({params})
    exact = params.exact and len(owners) == 1
    some = (
        takes_from_some(params, value) or picked(interp, target.value) or (constant_of(value) is None and _decided_by_name(interp, target))
    )
    want_gradients(interp, params.sources, target.node, value, all_of_each=exact, by_default=not some, some=some)


def _decided_by_name(interp: Interpreter, target: ir.Attr) -> bool:
    """Whether a test of what a loop gives beside each parameter decides over it: `p.requires_grad = "adapter" in name`.

    What is no test may be what was read off before: `for p, needed in zip(parameters, flags): p.requires_grad = needed`.
    """
    if not interp.loops:
        return False
    beside = {
        name
        for name in interp.loops[-1].targets - {ir.render(target.value)}
        if not any(isinstance(a, Params) for a in interp.frame.locals.get(name, NOTHING))
    }
    given = [stmt for stmt in ir.statements(interp.frame.function.body) if isinstance(stmt, ir.Assign)]
    tests = [stmt.value for stmt in given if any(each is target for each in stmt.targets)]
    named = {test.id for test in tests if isinstance(test, ir.Name)} - beside
    tests += [stmt.value for stmt in given if any(isinstance(each, ir.Name) and each.id in named for each in stmt.targets)]
    return any(
        not isinstance(test, ir.Name | ir.Attr | ir.Subscript)
        and any(part.id in beside for part in ir.walk(test) if isinstance(part, ir.Name))
        for test in tests
    )


@hooks.gradient_read
def _gradient_read(interp: Interpreter, atom: Params | Tensor | Unknown) -> None:
    match atom:
        case Params():
            interp.gradients.read |= atom.sources
            interp.gradients.applied_at |= {(obj, interp.frame.ctx) for obj in atom.sources}
            if steps_by_hand(interp.frame.function):
                interp.gradients.stepped |= atom.sources
        case Tensor(tags=tags):
            if Mark.PROBE not in tags or not interp.gradients.measures:  # what no input holds is measured beside a training
                interp.gradients.read_of_tensors.update(interp.loops[-1:])
        case Unknown():
            interp.gradients.read_unknown = True
            interp.gradients.applied_unknown = True


@hooks.gradient_rewritten
def _gradient_rewritten(interp: Interpreter, atom: Params | Tensor | Unknown) -> None:
    if isinstance(atom, Params):
        interp.gradients.scaled |= atom.sources


@hooks.gradient_changed
def _gradient_changed(interp: Interpreter, params: Params, stmt: ir.AugAssign) -> None:
    if stmt.op in ("*", "/"):
        interp.gradients.scaled |= params.sources
        return
    add_by_hand(interp, params, stmt.node)
