"""Steps that a program makes itself: `p.data.add_(p.grad, alpha=-lr)`, `p -= lr * p.grad`, `p.data = p.data - lr * p.grad`."""

from __future__ import annotations

from looplint.knowledge.pytorch import GRADIENTS
from looplint.syntax import ir

_IN_PLACE = frozenset({"add_", "sub_", "addcmul_", "addcdiv_", "copy_"})


@ir.kept_with_code
def steps_by_hand(function: ir.Function) -> bool:
    """Whether a function changes parameters by what it computes of their own gradients."""
    return any(_steps(stmt) for stmt in ir.statements(function.body))


def _steps(stmt: ir.Stmt) -> bool:
    match stmt:
        case ir.ExprStmt(value=ir.Call(func=ir.Attr(value=changed, attr=method), args=args)) if method in _IN_PLACE:
            return any(_is_of_gradient(arg.value, changed) for arg in args)
        case ir.AugAssign(op="+" | "-", target=changed, value=value):
            return _is_of_gradient(value, changed)
        case ir.Assign(targets=[ir.Attr(attr="data") as changed], value=value):
            return _is_of_gradient(value, changed)
    return False


def _is_of_gradient(value: ir.Expr, changed: ir.Expr) -> bool:
    """Whether an expression reads the gradient of what is changed; that of a gradient is none."""
    changed = changed.value if isinstance(changed, ir.Attr) and changed.attr == "data" else changed
    path = ir.path_of(changed)
    return path is not None and any(isinstance(e, ir.Attr) and e.attr in GRADIENTS and ir.path_of(e.value) == path for e in ir.walk(value))
