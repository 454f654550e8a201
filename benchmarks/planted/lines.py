"""A file as its syntax tree and its lines, and the few changes that planting is made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(eq=False)
class Text:
    """A Python file: every change gives a new text, with whole statements moved, deleted or replaced."""

    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def blocks(self) -> list[list[ast.stmt]]:
        """The statement lists of the file, outer ones first."""
        found = []
        for node in ast.walk(self.tree):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    found.append(block)
        return found

    @cached_property
    def loops(self) -> list[ast.For | ast.While]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.For | ast.While)]

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """What a node stands in, the innermost first."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    def in_loop(self, node: ast.AST) -> bool:
        """Whether a node runs in a loop of its own function."""
        for outer in self.around(node):
            if isinstance(outer, ast.For | ast.While):
                return True
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                return False
        return False

    def alone(self, stmt: ast.stmt) -> bool:
        """Whether a statement has its lines to itself."""
        assert stmt.end_lineno is not None
        first, last = self.lines[stmt.lineno - 1], self.lines[stmt.end_lineno - 1]
        return first[: stmt.col_offset].strip() == "" and last.encode()[stmt.end_col_offset :].split(b"#")[0].strip() == b""

    def delete(self, stmt: ast.stmt) -> str:
        """The text without a statement; `pass` stays where a block would be empty."""
        block = next(b for b in self.blocks if stmt in b)
        return self._splice(stmt, [] if len(block) > 1 else [" " * stmt.col_offset + "pass\n"])

    def move(self, stmt: ast.stmt, target: ast.stmt, *, after: bool) -> str:
        """The text with a statement moved before or after another one, at that one's indentation."""
        assert stmt.end_lineno is not None and target.end_lineno is not None
        shift = target.col_offset - stmt.col_offset
        own = self.lines[stmt.lineno - 1 : stmt.end_lineno]
        moved = [" " * shift + line if shift > 0 else line[-shift:] for line in own]
        at = target.end_lineno if after else target.lineno - 1
        if at > stmt.lineno:
            return "".join([*self.lines[: stmt.lineno - 1], *self.lines[stmt.end_lineno : at], *moved, *self.lines[at:]])
        return "".join([*self.lines[:at], *moved, *self.lines[at : stmt.lineno - 1], *self.lines[stmt.end_lineno :]])

    def replace(self, node: ast.expr, text: str) -> str:
        """The text with an expression of one line replaced."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        first = self.lines[node.lineno - 1].encode()
        last = self.lines[node.end_lineno - 1].encode()
        line = (first[: node.col_offset] + text.encode() + last[node.end_col_offset :]).decode()
        return "".join([*self.lines[: node.lineno - 1], line, *self.lines[node.end_lineno :]])

    def dedent_body(self, stmt: ast.With) -> str:
        """The text with the body of a `with` in its place."""
        assert stmt.end_lineno is not None
        start = stmt.body[0].lineno - 1
        shift = stmt.body[0].col_offset - stmt.col_offset
        body = [line[shift:] if line[:shift].strip() == "" else line for line in self.lines[start : stmt.end_lineno]]
        return self._splice(stmt, body)

    def drop_line(self, row: int) -> str:
        return "".join([*self.lines[: row - 1], *self.lines[row:]])

    def _splice(self, stmt: ast.stmt, lines: Sequence[str]) -> str:
        return "".join([*self.lines[: stmt.lineno - 1], *lines, *self.lines[stmt.end_lineno :]])


def method(stmt: ast.AST, name: str) -> ast.Call | None:
    """The call of a method with a name that a statement consists of."""
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        call = stmt.value
        if isinstance(call.func, ast.Attribute) and call.func.attr == name:
            return call
    return None


def receiver(call: ast.Call) -> str:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
