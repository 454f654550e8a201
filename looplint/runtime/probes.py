"""Probes at lines of the user's code where no call of torch can be hooked: whether what is kept there carries an autograd graph.

A probe is a call put before a statement when its file is compiled. It gets the values that the statement names, as far as reading them runs no code
of the user's, and changes nothing. Line numbers stay.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

NAME = "__looplint_probe__"
_LATE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp, ast.NamedExpr, ast.Await, ast.Yield)
_STATIC = (ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)


class _Insert(ast.NodeTransformer):
    """Puts a probe before each simple statement that stands on one of the lines."""

    def __init__(self, lines: Iterable[int]) -> None:
        self.lines = set(lines)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                setattr(node, name, [new for statement in body for new in self._probed(statement)])
        for child in ast.iter_child_nodes(node):
            self.visit(child)
        return node

    def _probed(self, statement: ast.stmt) -> list[ast.stmt]:
        span = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        if not isinstance(statement, _STATIC) or not self.lines.intersection(span):
            return [statement]
        line = min(self.lines.intersection(span))
        roots = [] if any(isinstance(n, _LATE) for n in ast.walk(statement)) else list(_values(statement))
        call = ast.Call(ast.Name(NAME, ast.Load()), [ast.Constant(line), *roots], [])
        probe = ast.Expr(call)
        for node in ast.walk(probe):
            ast.copy_location(node, statement)
        return [probe, statement]


def _values(statement: ast.stmt) -> Iterable[ast.expr]:
    """The names that a statement reads, and for `self.loss` the pair of object and attribute; not what it calls, nor what it writes to."""
    called = {id(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)}
    receivers = {id(n.func.value) for n in ast.walk(statement) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    targets = {id(t) for t in getattr(statement, "targets", [getattr(statement, "target", None)])}
    for node in ast.walk(statement):
        if id(node) in called or id(node) in targets or (id(node) in receivers and isinstance(node, ast.Name)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield ast.Name(node.id, ast.Load())
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            yield ast.Tuple([ast.Name(node.value.id, ast.Load()), ast.Constant(node.attr)], ast.Load())


def compiled(source: bytes, path: str, lines: Iterable[int]) -> CodeType:
    """A file's code with probes at some of its lines."""
    tree = ast.parse(source, path)
    return compile(_Insert(lines).visit(tree), path, "exec", dont_inherit=True)


def install(watched: Mapping[str, Iterable[int]], probe: Any) -> None:
    """Compiles the watched files with probes when they are imported.

    `watched` maps real paths to lines; `probe` is called with the line and the values.
    """
    import builtins

    setattr(builtins, NAME, probe)
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        path = self.get_filename(fullname)
        lines = watched.get(os.path.realpath(path))
        return compiled(self.get_data(path), path, lines) if lines else original(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
