"""What one turn of a loop deals with: what the loop binds, and the entries of containers that this tells."""

from __future__ import annotations

from looplint.syntax import ir

# What gives another name of a key, and no other key.
_CONVERSIONS = frozenset({"str", "int"})


def is_of_turn(receiver: ir.Expr, targets: frozenset[str], function: ir.Function) -> bool:
    """Whether an expression is what a loop binds in each turn, an attribute of that, or the entry under a key that the loop binds.

    Args:
        receiver: the expression.
        targets: the names that the loop binds.
        function: the function in which the loop stands: a name in it may be set to what is of the turn, and to nothing else.
    """
    match receiver:
        case ir.Name(id=name):
            return name in targets or (bool(targets) and _is_set_in_each_turn(name, targets, function))
        case ir.Attr(value=owner):
            return is_of_turn(owner, targets, function)
        case ir.Subscript(value=ir.Name() | ir.Attr(), index=index):
            return _tells_the_turn(index, targets)
    return False


def _tells_the_turn(key: ir.Expr, targets: frozenset[str]) -> bool:
    """Whether a key is what a loop binds: `k`, `str(k)`, `task.name`."""
    match key:
        case ir.Name(id=name):
            return name in targets
        case ir.Attr(value=owner):
            return _tells_the_turn(owner, targets)
        case ir.Call(func=ir.Name(id=name), args=[ir.Arg(value=given)]) if name in _CONVERSIONS:
            return _tells_the_turn(given, targets)
    return False


def _is_set_in_each_turn(name: str, targets: frozenset[str], function: ir.Function) -> bool:
    """Whether a name gets nothing but the entry under a key that the loop binds: `optimizer = optimizers[k]`, `net, optimizer = nets[k], optimizers[k]`."""
    given = [_given(stmt, name) for stmt in ir.statements(function.body) if name in ir.binds(stmt)]
    return bool(given) and all(isinstance(value, ir.Subscript) and is_of_turn(value, targets, function) for value in given)


def _given(stmt: ir.Stmt, name: str) -> ir.Expr | None:
    """What a statement sets a name to; None where that is not one expression."""
    match stmt:
        case ir.Assign(targets=[ir.Name()], value=value):
            return value
        case ir.Assign(targets=[ir.Display(items=names)], value=ir.Display(items=values)) if len(names) == len(values):
            return next((value for target, value in zip(names, values) if isinstance(target, ir.Name) and target.id == name), None)
    return None
