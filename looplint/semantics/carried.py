"""What the forwards of modules leave on them: a hidden state that they carry to the next call, whose inputs follow in time, or outputs for who called them."""

from __future__ import annotations

from looplint.domain.objects import Module
from looplint.domain.values import NOTHING, Atom, ClassRef, Tensor, Value
from looplint.interpreter import classes, hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.objects import LAST_OUTPUT
from looplint.semantics import outcomes
from looplint.syntax import ir


def carries_state(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether the forward of a class hands on what an earlier call of it has left on the object."""
    forward = _forward(interp, cls)
    return forward is not None and any(_hands_on_before(forward, path) for path in _left(interp, forward))


def leaves_outputs(interp: Interpreter, cls: ClassRef, name: str = "") -> bool:
    """Whether the forward of a class leaves on the object what it computes, under a name or any: a caller that takes no result may find it there."""
    forward = _forward(interp, cls)
    if forward is None or forward.is_generator:
        return False
    left = _left(interp, forward)
    return f"{forward.params[0].name}.{name}" in left if name else bool(left)


@hooks.output_read
def _output(interp: Interpreter, obj: Module, name: str) -> Value | None:
    """What the last forward of a module on this path has left in an attribute, where all that is a tensor: `model(x)`, and then `model.kl`."""
    given = interp.constant(obj, LAST_OUTPUT) if not interp.aside else None
    if given is None or obj.cls is None or not leaves_outputs(interp, obj.cls, name):
        return None
    found: set[Atom] = set()
    for output in given:
        value = _left_beside(interp, output, name) if isinstance(output, Tensor) else NOTHING
        if not value:
            return None
        found |= value
    return frozenset(found)


def _left_beside(interp: Interpreter, output: Tensor, name: str) -> Value:
    """What the forward that gave an output has left in an attribute beside it; nothing where that is not known to be a tensor."""
    value = outcomes.left(interp, next(iter(output.outcomes)), name) if len(output.outcomes) == 1 else NOTHING
    tensors = [a for a in value if isinstance(a, Tensor) and a.origins]
    if len(tensors) < len(value):
        return NOTHING
    graphs = [output.graph if a.graph == "yes" else a.graph if output.graph != "no" else "no" for a in tensors]
    return frozenset(
        Tensor(
            output.sources, graph, output.forwards if graph != "no" else frozenset(), scalar=a.scalar, origins=output.origins, made=a.made
        )
        for a, graph in zip(tensors, graphs, strict=True)
    )


def _forward(interp: Interpreter, cls: ClassRef) -> ir.Function | None:
    found = classes.find_member(interp, cls, "forward")
    return found[0] if found is not None and isinstance(found[0], ir.Function) and found[0].params else None


def _left(interp: Interpreter, forward: ir.Function) -> frozenset[str]:
    """The attributes of its object to which a forward gives something that is computed."""
    left = interp.applications.leaving.get(forward)
    if left is None:
        own = f"{forward.params[0].name}."
        found = (path for stmt in ir.statements(forward.body) for path in _computed(stmt) if path.startswith(own))
        left = interp.applications.leaving[forward] = frozenset(found)
    return left


def _computed(stmt: ir.Stmt) -> set[str]:
    """The names to which a statement gives something that is computed."""
    if not isinstance(stmt, ir.Assign) or isinstance(stmt.value, ir.Const):
        return set()
    return {path for target in stmt.targets for path in map(ir.path_of, ir.single_targets(target)) if path}


def _hands_on_before(forward: ir.Function, path: str) -> bool:
    """Whether a forward hands a name to a call before each call of the forward gives it a new value."""
    for stmt in forward.body:
        if any(_is_handed(expr, path) for inner in ir.statements([stmt]) for expr in ir.expressions(inner)):
            return True
        if path in _computed(stmt):
            return False
    return False


def _is_handed(expr: ir.Expr, path: str) -> bool:
    """Whether an expression calls something with a name among the arguments."""
    return any(isinstance(e, ir.Call) and any(ir.path_of(a.value) == path for a in e.args) for e in ir.walk(expr))
