"""Probes at lines of the user's code where no call of torch can be hooked: whether what is kept there carries an autograd graph, what a conversion
gives, and on which modules forward() is called.

When a watched file is compiled, the values that a statement hands on (a call's arguments, what is assigned, added or returned) go through a function
that inspects and returns them, and calls of some methods through one that makes them. The line numbers stay.
"""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

VALUE, METHOD = "__looplint_value__", "__looplint_method__"
METHODS = frozenset(
    {
        "forward",
        "to",
        "type",
        "cpu",
        "cuda",
        "half",
        "float",
        "double",
        "bfloat16",
        "int",
        "long",
        "bool",
        "detach",
        "type_as",
        "requires_grad_",
    }
)


class _Wrap(ast.NodeTransformer):
    """Wraps the values of each simple statement on one of the lines, and the method calls there."""

    def __init__(self, lines: Iterable[int]) -> None:
        self.lines = set(lines)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS or not self._watched(node):
            return node
        receiver = node.func.value
        if isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "super":
            return node
        call = ast.Call(ast.Name(METHOD, ast.Load()), [receiver, ast.Constant(node.func.attr), *node.args], node.keywords)
        for new in (call.func, call.args[1]):
            ast.copy_location(new, node)
        return ast.copy_location(call, node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        if self._watched(node):
            call = node.value
            if isinstance(call, ast.Call) and not (isinstance(call.func, ast.Name) and call.func.id == METHOD):
                call.args = [a if isinstance(a, ast.Starred) else self._wrapped(a) for a in call.args]
                for keyword in call.keywords:
                    keyword.value = self._wrapped(keyword.value) if keyword.arg else keyword.value
            elif not isinstance(call, (ast.Call, ast.Yield, ast.YieldFrom, ast.Await)):
                node.value = self._wrapped(call)
        return node

    def _value(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return) -> ast.AST:
        self.generic_visit(node)
        if self._watched(node) and node.value is not None:
            node.value = self._wrapped(node.value)
        return node

    visit_Assign = visit_AnnAssign = visit_AugAssign = visit_Return = _value

    def _watched(self, node: ast.stmt | ast.expr) -> bool:
        return bool(self.lines.intersection(range(node.lineno, (node.end_lineno or node.lineno) + 1)))

    @staticmethod
    def _wrapped(value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Constant):
            return value
        call = ast.Call(ast.Name(VALUE, ast.Load()), [value], [])
        ast.copy_location(call.func, value)
        return ast.copy_location(call, value)


def compiled(source: bytes, path: str, lines: Iterable[int]) -> CodeType:
    """A file's code with probes at some of its lines."""
    tree = ast.parse(source, path)
    return compile(_Wrap(lines).visit(tree), path, "exec", dont_inherit=True)


@dataclass(frozen=True, slots=True)
class Sources:
    """How files are run other than as they are on disk: lines to probe, and texts that replace them. Both by real paths.

    A text that replaces a file is in a file of its own; lines to probe in it are listed under its own path.
    """

    watched: Mapping[str, Sequence[int]]
    replaced: Mapping[str, str]

    def code(self, path: str) -> CodeType | None:
        """The code to run for a file, or None where it is run as it is on disk."""
        real = os.path.realpath(path)
        actual = self.replaced.get(real, real)
        lines = self.watched.get(actual)
        if not lines and actual == real:
            return None
        with open(actual, "rb") as stream:
            return compiled(stream.read(), actual if actual != real else path, lines or ())


def install(sources: Sources, look: Callable[[Any], None], called: Callable[[Any, str, Any], None]) -> None:
    """Runs the files of `sources` as it defines, also when they are imported.

    `look` is called with each probed value, `called` with the object, the name and the result of each probed method.
    """

    def probe(value: Any) -> Any:
        look(value)
        return value

    def method(target: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        result = getattr(target, name)(*args, **kwargs)
        called(target, name, result)
        return result

    setattr(builtins, VALUE, probe)
    setattr(builtins, METHOD, method)
    loader: Any = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        return sources.code(self.get_filename(fullname)) or original(self, fullname)

    loader.get_code = get_code
