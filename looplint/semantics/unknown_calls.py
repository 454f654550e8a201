"""What the name of a function that cannot be followed says of the call."""

from __future__ import annotations

from looplint.domain.tensors import combine
from looplint.domain.values import UNKNOWN, Arguments, ClassRef, External, ModuleRef
from looplint.flow.remarks import Seed
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge import naming
from looplint.semantics import devices
from looplint.semantics.global_settings import told
from looplint.semantics.gradients import backward
from looplint.syntax import ir

# Libraries that draw numbers of their own.
_WITH_SEEDS_OF_THEIR_OWN = frozenset({"cupy", "jax", "numpy", "random", "tensorflow"})


@hooks.unknown_called
def _unknown_called(interp: Interpreter, args: Arguments, expr: ir.Expr) -> bool:
    """It may set the seed, or measure what it is given; what is not known goes to a GPU by `cuda()`, whatever it is."""
    if not isinstance(expr, ir.Call):
        return False
    callee = ir.render(expr.func)
    if "seed" in callee.lower():
        alone = _seeds_its_own(interp, expr.func)
        what = told(interp, args, expr) if not alone and not _seeds_others(interp, expr.func) else None
        interp.remark(Seed(alone=alone, told=what), expr.node, {interp.setting_owner("torch.random")})
    if isinstance(expr.func, ir.Attr) and expr.func.attr == "cuda":
        devices.note_unconditional(interp)
    if isinstance(expr.func, ir.Attr) and expr.func.attr == "backward" and all(each.keyword for each in expr.args):
        backward(interp, expr, [UNKNOWN], args)  # what is sent backward was not understood: it may be the loss of any model
    return note_measured(interp, args, expr)


def _seeds_its_own(interp: Interpreter, func: ir.Expr) -> bool:
    """Whether what is called is the method `seed` of an object, and no function of a module or a library."""
    if not isinstance(func, ir.Attr) or func.attr != "seed":
        return False
    with interp.looking():
        owner = interp.evaluate(func.value)
    return not any(isinstance(a, External | ModuleRef | ClassRef) for a in owner)


def _seeds_others(interp: Interpreter, func: ir.Expr) -> bool:
    """Whether what is called is of a library whose numbers no loader of torch draws."""
    with interp.looking():
        return any(isinstance(a, External) and a.qualname.partition(".")[0] in _WITH_SEEDS_OF_THEIR_OWN for a in interp.evaluate(func))


def _iterated(interp: Interpreter, name: str) -> str | None:
    """The text of what the innermost loop goes over that binds a name of the running call; None where no loop does."""
    loops = (loop for loop in reversed(interp.loops) if loop.frame is interp.frame.ctx and name in loop.targets)
    return next((loop.iterates for loop in loops), None)


def note_measured(interp: Interpreter, args: Arguments, expr: ir.Call) -> bool:
    """Note that what is called is a metric or keeps one, if its name says so: what it is given is measured."""
    match expr.func:
        case ir.Attr(value=keeper, attr=name) if expr.dropped and naming.adds_to_a_metric(ir.render(keeper), name):
            measures = True
        case ir.Name(id=name) if (among := _iterated(interp, name)) is not None:
            measures = naming.measures(name) or naming.are_metrics(among)
        case ir.Attr(attr=name) | ir.Name(id=name):
            measures = naming.measures(name)
        case ir.Subscript(value=ir.Name() | ir.Attr() as holder):
            measures = naming.are_metrics(ir.render(holder))
        case other:
            measures = naming.measures(ir.render(other))
    given = combine(interp.grad, args.values()) if measures else None
    interp.uses.scored |= given.origins if given is not None else frozenset()
    return measures
