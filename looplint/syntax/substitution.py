"""Conditions in other words: with the expressions that names stand for in their place."""

from __future__ import annotations

from collections.abc import Mapping

from looplint.syntax import ir


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
        case ir.Call(func=ir.Name() | ir.Attr()):
            # A further predicate, or what is known of every object: `len(loader)`.
            func = substituted(expr.func, values)
            args = [(a, substituted(a.value, values)) for a in expr.args]
            given = [ir.Arg(value, a.keyword, a.star) for a, value in args if value is not None]
            return ir.Call(expr.node, func, given) if func is not None and len(given) == len(args) else None
    return None
