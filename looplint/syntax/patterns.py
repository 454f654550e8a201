"""Patterns of `match`: each is a condition on the subject, and the names that it binds (https://peps.python.org/pep-0634/)."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from looplint.syntax import ir
from looplint.syntax.nodes import children

_EQUAL, _IS = cst.Equal(), cst.Is()
_ISINSTANCE = cst.Name("isinstance")
_ELLIPSIS = cst.Ellipsis()


def condition(
    pattern: cst.MatchPattern, written: cst.BaseExpression, subject: ir.Expr, lower: Callable[[cst.CSTNode], ir.Expr]
) -> ir.Expr | None:
    """The test that a pattern stands for; None where it matches anything.

    Args:
        pattern: the pattern of a case, or a part of it.
        written: the subject as it stands in the file, for the texts of tests.
        subject: the subject, lowered.
        lower: lowers an expression.
    """
    match pattern:
        case cst.MatchValue() | cst.MatchSingleton():
            is_value = isinstance(pattern, cst.MatchValue)
            operator: cst.BaseCompOp = _EQUAL if is_value else _IS
            node = cst.Comparison(written, [cst.ComparisonTarget(operator, pattern.value)])
            return ir.Compare(node, subject, ["==" if is_value else "is"], [lower(pattern.value)])
        case cst.MatchAs():
            return condition(pattern.pattern, written, subject, lower) if pattern.pattern is not None else None
        case cst.MatchClass():
            call = cst.Call(_ISINSTANCE, [cst.Arg(written), cst.Arg(pattern.cls)])
            of_class = ir.Call(call, ir.Name(_ISINSTANCE, "isinstance"), [ir.Arg(subject), ir.Arg(lower(pattern.cls))])
            return joined("and", of_class, ir.Opaque(pattern, [subject])) if pattern.patterns or pattern.kwds else of_class
        case cst.MatchOr():
            return _either([condition(element.pattern, written, subject, lower) for element in pattern.patterns])
        case _:
            return ir.Opaque(pattern, [subject])


def _either(tests: list[ir.Expr | None]) -> ir.Expr | None:
    either, *others = tests
    for test in others:
        if either is None or test is None:
            return None
        either = joined("or", either, test)
    return either


def joined(op: str, left: ir.Expr, right: ir.Expr) -> ir.BoolOp:
    """Two tests as one that stands nowhere in the file."""
    operator: cst.BaseBooleanOp = cst.And() if op == "and" else cst.Or()
    sides = [side if isinstance(side, cst.BaseExpression) else _ELLIPSIS for side in (left.node, right.node)]
    return ir.BoolOp(cst.BooleanOperation(sides[0], operator, sides[1]), op, left, right)


def bound(pattern: cst.MatchPattern, subject: ir.Expr) -> list[ir.Assign]:
    """What a pattern that matches binds: the whole subject, or parts of it."""
    whole = pattern.name if isinstance(pattern, cst.MatchAs) else None
    assignments = []
    work: list[cst.CSTNode] = [pattern]
    while work:
        node = work.pop()
        if isinstance(node, cst.MatchAs | cst.MatchStar) and node.name is not None:
            value = subject if node.name is whole else ir.Opaque(node, [subject])
            assignments.append(ir.Assign(node, [ir.Name(node.name, node.name.value)], value))
        work += children(node)
    return assignments
