"""Losses: a loss function is applied to predictions."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Loss, Module, Obj
from looplint.domain.outcomes import of_value
from looplint.domain.tags import Mark, Multiplied, Tags, handed_over_at, went_backward
from looplint.domain.tensors import combine, under
from looplint.domain.values import COMPUTED, Arguments, Tensor, Unknown, Value, constant_of, tensor_of
from looplint.flow.remarks import Objective, Score
from looplint.interpreter import alternatives, classes, hooks
from looplint.interpreter.calls import builds
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import application, construction, transfer
from looplint.knowledge.pytorch import SCORES, SCORING, names_a_loss
from looplint.semantics.outcomes import resolve
from looplint.semantics.parameters import note_class
from looplint.syntax import ir


def loss(interp: Interpreter, obj: Loss | None, args: Arguments, expr: ir.Call, function: str = "") -> Value:
    """A loss function is applied. A project's own is followed into its forward, or into what its class has in the place of torch's call."""
    cls = obj.cls if obj is not None else None
    member = (classes.find_member(interp, cls, "__call__") or classes.find_member(interp, cls, "forward")) if cls is not None else None
    if obj is not None and member is not None:
        scored = combine(interp.grad, args.values())
        if scored is not None:
            interp.uses.compare(scored.origins)
        return interp.call(classes.bind(interp, member, obj), args, expr)
    return of_library(interp, obj, function or (obj.qualname if obj is not None else ""), args, expr)


def of_library(interp: Interpreter, obj: Loss | None, function: str, args: Arguments, expr: ir.Call) -> Value:
    """A loss that a library defines is applied; `function` is the name that the library gives it, "" where that is not known."""
    _score(interp, obj, function, args, expr)
    tensor = combine(interp.grad, args.values())
    deps = frozenset().union(*(a.deps for v in args.values() for a in v if isinstance(a, Unknown)))
    if tensor is None:
        return frozenset({Tensor(deps, under(interp.grad, "maybe"), scalar=True, made=COMPUTED)})
    reduction = args.keywords.get("reduction") or (obj.reduction if obj else None)
    known = constant_of(reduction) if reduction else None
    scalar = known is None or known.value != "none"
    # `size_average=False` and `reduce=False` are what torch called it before.
    given = obj.arguments if obj is not None else args
    unresolved = (reduction is not None and known is None) or bool(given and given.keywords.keys() & {"size_average", "reduce"})
    interp.uses.compare(tensor.origins)
    if tensor.graph != "no":
        interp.uses.make_into_a_loss(handed_over_at(tensor.tags), tensor.forwards)
    result = replace(tensor, scalar=scalar, sources=tensor.sources | deps, made=COMPUTED, tags=_unscaled(tensor)).tagged(Mark.LOSS)
    if known is not None and known.value == "sum":
        result = result.tagged(Mark.SUM_REDUCTION)
    if unresolved:
        result = result.tagged(Mark.UNKNOWN_REDUCTION)
    return frozenset({result})


def _score(interp: Interpreter, obj: Obj | None, qualname: str, args: Arguments, expr: ir.Call) -> None:
    """Remark what the prediction came out of, where that matters to the loss; without a target, these raise a TypeError."""
    if args.get(1, "target") is None and not args.starred:
        return
    # Where an option says which loss it is, it is each of them for someone.
    names = (
        [qualname]
        if qualname or obj is None
        else _those_asked_for(interp, expr, [each.qualname for each in alternatives.running(interp, obj)])
    )
    functions = [SCORES.get(name.rpartition(".")[2]) if name.startswith(SCORING) else None for name in names]
    if len(set(functions)) > 1:
        # One that takes probabilities, and raises an error for all else, is another choice than the one that the model is made for.
        functions = [each for each in functions if each != "binary_cross_entropy"]
    function = next(filter(None, functions), None)
    if function is not None:
        prediction = args.get(0, "input")
        outcomes = resolve(interp, of_value(prediction)) or frozenset()
        forwards = frozenset(key for atom in prediction or () if isinstance(atom, Tensor) for key in atom.forwards)
        score = Score(function=function, outcomes=outcomes, grad=interp.grad, forwards=forwards)
        interp.remark(score, expr.node, {obj} if obj is not None else ())


def _those_asked_for(interp: Interpreter, expr: ir.Call, names: list[str]) -> list[str]:
    """The classes of which one is called, as the tests on the way leave them: `if isinstance(criterion, nn.CrossEntropyLoss):`."""
    for guard in interp.guards:
        match guard.test:
            case ir.Call(func=ir.Name(id="isinstance"), args=[ir.Arg(value=asked), ir.Arg(value=classes)]) if ir.path_of(
                asked
            ) is not None and ir.path_of(asked) == ir.path_of(expr.func):
                given = {path.rpartition(".")[2] for path in ir.paths_in(classes)}
                names = [name for name in names if (name.rpartition(".")[2] in given) == guard.held]
    return names


def _unscaled(tensor: Tensor) -> Tags:
    """The tags of what a loss is computed from, without those that say how its numbers were scaled: the loss is scaled by itself."""
    return frozenset(t for t in tensor.tags if not isinstance(t, Multiplied) and t not in (Mark.SUM, Mark.MEAN, Mark.MIXED))


@hooks.named
def note_objective(interp: Interpreter, name: ir.Name, value: Value) -> None:
    """`loss = model.penalty()`: a loss of parameters, for which no module is called; or what goes into a module is computed of one: `model(x + patch)`.

    What a loss function gives is one under any name: `l = mse(-u / (1 + torch.exp(u)), y)`.
    """
    tensor = tensor_of(value) if interp.loops and interp.grad else None
    if tensor is None or len(value) > 1 or tensor.graph != "yes" or went_backward(tensor.tags):
        return
    if Mark.LOSS not in tensor.tags and not names_a_loss(name.id):
        return
    of = frozenset(o for o in tensor.sources if isinstance(o, Module) and o.parameter) if tensor.forwards else tensor.sources
    if of or (Mark.LEAF in tensor.tags and not tensor.forwards):
        interp.remark(Objective(), name.node, of)


@application(Loss)
def _applied(interp: Interpreter, obj: Loss, args: Arguments, expr: ir.Call) -> Value:
    return loss(interp, obj, args, expr)


@construction(Loss)
def _built(interp: Interpreter, obj: Loss, args: Arguments, expr: ir.Call) -> None:
    obj.reduction = args.keywords.get("reduction")
    obj.arguments = args
    note_class(interp, obj)


transfer("loss")(builds(Loss))
