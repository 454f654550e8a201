"""Conditions in other words: with the expressions that names stand for in their place."""

from __future__ import annotations

from collections.abc import Mapping

from looplint.syntax import ir


class Substitutions:
    """The substitutions that were made: for the same expression and the same values it is one object, and compared as such."""

    def __init__(self) -> None:
        self._made: dict[object, ir.Expr | None] = {}

    def of(self, expr: ir.Expr, names: frozenset[str], values: Mapping[str, ir.Expr]) -> ir.Expr | None:
        """An expression in which others stand for its names.

        Args:
            expr: the expression.
            names: the names and attributes that it reads.
            values: what stands for names.
        """
        key = (expr, frozenset((root, values.get(root)) for root in (name.partition(".")[0] for name in names)))
        if key not in self._made:
            self._made[key] = substituted(expr, values)
        return self._made[key]


def substituted(expr: ir.Expr, values: Mapping[str, ir.Expr]) -> ir.Expr | None:
    """An expression with others in place of its names; None where it is more than comparisons and arithmetic."""
    match expr:
        case ir.Const():
            return expr
        case ir.Name():
            return values.get(expr.id, expr)
        case ir.Attr():
            owner = substituted(expr.value, values)
            return ir.Attr(expr.node, owner, expr.attr) if owner is not None else None
        case ir.Unary():
            operand = substituted(expr.operand, values)
            return ir.Unary(expr.node, expr.op, operand) if operand is not None else None
        case ir.Binary() | ir.BoolOp():
            left, right = substituted(expr.left, values), substituted(expr.right, values)
            return type(expr)(expr.node, expr.op, left, right) if left is not None and right is not None else None
        case ir.Compare():
            first = substituted(expr.left, values)
            rights = [r for r in (substituted(each, values) for each in expr.rights) if r is not None]
            return ir.Compare(expr.node, first, expr.ops, rights) if first is not None and len(rights) == len(expr.rights) else None
        case ir.Display():
            items = [i for i in (substituted(each, values) for each in expr.items) if i is not None]
            return ir.Display(expr.node, expr.kind, items) if len(items) == len(expr.items) else None
        case ir.Call(func=ir.Name() | ir.Attr()):
            # A further predicate, or what is known of every object: `len(loader)`.
            func = substituted(expr.func, values)
            args = [(a, substituted(a.value, values)) for a in expr.args]
            given = [ir.Arg(value, a.keyword, a.star) for a, value in args if value is not None]
            return ir.Call(expr.node, func, given) if func is not None and len(given) == len(args) else None
    return None
