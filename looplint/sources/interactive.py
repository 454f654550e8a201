"""Scripts that are made of cells show the value of each cell's last expression: it is not thrown away."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

_MARK = "# %%"  # of the percent format, and of a notebook's cells in their combined text


def displayed(tree: cst.Module) -> frozenset[cst.Expr]:
    """The expression statements whose values a cell shows."""
    body = tree.body
    starts = [_starts_cell(_lines_before(tree, n)) for n in range(len(body))]
    if not any(starts):
        return frozenset()
    last = [stmt for stmt, following in zip(body, [*starts[1:], True], strict=True) if following]
    return frozenset(_shown(last))


def _lines_before(tree: cst.Module, index: int) -> Iterable[cst.EmptyLine]:
    stmt = tree.body[index]
    own = stmt.leading_lines if isinstance(stmt, cst.SimpleStatementLine | cst.BaseCompoundStatement) else ()
    return (*tree.header, *own) if index == 0 else own


def _starts_cell(lines: Iterable[cst.EmptyLine]) -> bool:
    return any(line.comment is not None and line.comment.value.startswith(_MARK) for line in lines)


def _shown(statements: Iterable[cst.CSTNode]) -> Iterable[cst.Expr]:
    for stmt in statements:
        if (
            isinstance(stmt, cst.SimpleStatementLine)
            and isinstance(stmt.body[-1], cst.Expr)
            and not isinstance(stmt.body[-1].semicolon, cst.Semicolon)
        ):
            yield stmt.body[-1]
