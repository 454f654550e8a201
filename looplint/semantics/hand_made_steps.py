"""Steps that a program makes itself: `p.data.add_(p.grad, alpha=-lr)`, `p -= lr * p.grad`, `p.data = p.data - lr * p.grad`."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.knowledge.pytorch import GRADIENTS
from looplint.syntax import ir

_IN_PLACE = frozenset({"add_", "sub_", "addcmul_", "addcdiv_", "copy_"})


@ir.kept_with_code
def steps_by_hand(function: ir.Function) -> bool:
    """Whether a function changes parameters by what it computes of their own gradients, at once or under names of its own."""
    computed: dict[str, set[str]] = {}
    for stmt in ir.statements(function.body):
        for changed, values in _changes(stmt):
            path = _path(changed)
            if path is not None and path in set().union(*(_gradients_in(each, computed) for each in values)):
                return True
        _note(stmt, computed)
    return False


def _changes(stmt: ir.Stmt) -> Iterator[tuple[ir.Expr, list[ir.Expr]]]:
    """What a statement changes in place, or by its data, with what it is changed by."""
    match stmt:
        case ir.ExprStmt(value=ir.Call(func=ir.Attr(value=changed, attr=method), args=args)) if method in _IN_PLACE:
            yield changed, [arg.value for arg in args]
        case ir.AugAssign(op="+" | "-", target=changed, value=value) | ir.Assign(targets=[ir.Attr(attr="data") as changed], value=value):
            yield changed, [value]


def _path(changed: ir.Expr) -> str | None:
    return ir.path_of(changed.value if isinstance(changed, ir.Attr) and changed.attr == "data" else changed)


def _note(stmt: ir.Stmt, computed: dict[str, set[str]]) -> None:
    """Note the names in which a statement puts something of gradients: `grad = p.grad.float()`, and `update.add_(grad)` after that."""
    match stmt:
        case ir.Assign(targets=[ir.Name(id=name)], value=value):
            computed[name] = _gradients_in(value, computed)
    for changed, values in _changes(stmt):
        if isinstance(changed, ir.Name):
            computed.setdefault(changed.id, set()).update(*(_gradients_in(each, computed) for each in values))


def _gradients_in(value: ir.Expr, computed: dict[str, set[str]]) -> set[str]:
    """The paths of what an expression reads the gradients of, itself or by the names that have something of them."""
    found: set[str] = set()
    for each in ir.walk(value):
        match each:
            case ir.Attr(value=owner, attr=attr) if attr in GRADIENTS and (path := ir.path_of(owner)) is not None:
                found.add(path)
            case ir.Name(id=name):
                found |= computed.get(name, set())
    return found
