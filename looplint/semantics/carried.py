"""What the forwards of modules leave on them: a hidden state that they carry to the next call, whose inputs follow in time, or outputs for who called them."""

from __future__ import annotations

from looplint.domain.values import ClassRef
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def carries_state(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether the forward of a class hands on what an earlier call of it has left on the object."""
    forward = _forward(interp, cls)
    return forward is not None and any(_hands_on_before(forward, path) for path in _left(forward))


def leaves_outputs(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether the forward of a class leaves on the object what it computes: a caller that takes no result may find it there."""
    forward = _forward(interp, cls)
    return forward is not None and not forward.is_generator and bool(_left(forward))


def _forward(interp: Interpreter, cls: ClassRef) -> ir.Function | None:
    found = classes.find_member(interp, cls, "forward")
    return found[0] if found is not None and isinstance(found[0], ir.Function) and found[0].params else None


def _left(forward: ir.Function) -> set[str]:
    """The attributes of its object to which a forward gives something that is computed."""
    own = f"{forward.params[0].name}."
    return {path for stmt in ir.statements(forward.body) for path in _computed(stmt) if path.startswith(own)}


def _computed(stmt: ir.Stmt) -> set[str]:
    """The names to which a statement gives something that is computed."""
    if not isinstance(stmt, ir.Assign) or isinstance(stmt.value, ir.Const):
        return set()
    return {path for target in stmt.targets for path in map(ir.path_of, _parts(target)) if path}


def _parts(target: ir.Expr) -> list[ir.Expr]:
    return [part for item in target.items for part in _parts(item)] if isinstance(target, ir.Display) else [target]


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
