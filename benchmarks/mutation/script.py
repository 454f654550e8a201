"""A script under mutation: its statements, where they stand, and the text edits that move or change them.

Everything is syntactic and works on whole lines, so that what an edit does not name stays as it was written. A statement that shares its
line with another one (`a; b`, `if x: y`) cannot be edited: the change is then dropped (`Unfit`), never half applied.
"""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

Scope: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While


class Unfit(Exception):
    """A change cannot be written down at this place."""


@dataclass(frozen=True, slots=True)
class Delete:
    stmt: ast.stmt


@dataclass(frozen=True, slots=True)
class Before:
    """Insert unindented code as statements before the anchor, at its depth."""

    anchor: ast.stmt
    text: str


@dataclass(frozen=True, slots=True)
class After:
    anchor: ast.stmt
    text: str


@dataclass(frozen=True, slots=True)
class MoveBefore:
    stmt: ast.stmt
    anchor: ast.stmt


@dataclass(frozen=True, slots=True)
class MoveAfter:
    stmt: ast.stmt
    anchor: ast.stmt


@dataclass(frozen=True, slots=True)
class Replace:
    """Put other text in the place of an expression, an argument or a statement."""

    node: ast.expr | ast.arg | ast.stmt
    text: str


@dataclass(frozen=True, slots=True)
class Dedent:
    """Put the body of a `with` in the place of the whole statement."""

    stmt: ast.With


@dataclass(frozen=True, slots=True)
class Undecorate:
    decorator: ast.expr


Edit: TypeAlias = Delete | Before | After | Replace | Dedent | Undecorate
Op: TypeAlias = Edit | MoveBefore | MoveAfter


@dataclass(eq=False)
class Script:
    """A parsed file and the other files of its program."""

    source: str
    siblings: tuple[Script, ...] = ()
    tree: ast.Module = field(init=False)
    parents: dict[ast.AST, ast.AST] = field(init=False)
    bodies: dict[ast.stmt, list[ast.stmt]] = field(init=False)
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.source)
        self.parents = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self.bodies = {stmt: body for node in self.nodes for body in _statement_lists(node) for stmt in body}
        # ast counts lines as the tokenizer does: only \n, \r\n and \r end one.
        self.lines = io.StringIO(self.source, newline="").readlines()
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line))

    @property
    def program(self) -> tuple[Script, ...]:
        return (self, *self.siblings)

    def statements(self, within: ast.AST | None = None) -> Iterator[ast.stmt]:
        """All statements below a node in the order of the text."""
        if within is None:
            return iter(self._statements)
        return iter(_in_order(n for n in ast.walk(within) if n is not within))

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        return _in_order(self.nodes)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes, as `ast.walk` gives them: one walk serves all who look at the whole file."""
        return list(ast.walk(self.tree))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def scope(self, node: ast.AST) -> Scope:
        for parent in self.ancestors(node):
            if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
                return parent
        return self.tree

    def loops(self, node: ast.AST) -> list[Loop]:
        """The loops around a node within its own function, innermost first."""
        found: list[Loop] = []
        for parent in self.ancestors(node):
            if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                break
            if isinstance(parent, ast.For | ast.AsyncFor | ast.While):
                found.append(parent)
        return found

    def statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def lift(self, node: ast.AST, body: list[ast.stmt]) -> ast.stmt | None:
        """The statement of `body` that is or contains the node."""
        for candidate in (node, *self.ancestors(node)):
            if isinstance(candidate, ast.stmt) and self.bodies.get(candidate) is body:
                return candidate
        return None

    def under(self, node: ast.AST, kinds: tuple[type[ast.AST], ...], stop: ast.AST) -> bool:
        """Whether a node of these kinds stands between the node and one of its ancestors."""
        for parent in self.ancestors(node):
            if parent is stop:
                return False
            if isinstance(parent, kinds):
                return True
        return False

    def text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def dedented(self, stmt: ast.stmt) -> str:
        """A statement's lines, its comment too, without their indentation."""
        self._require_own_lines(stmt)
        return textwrap.dedent("".join(self.lines[_first(stmt) - 1 : stmt.end_lineno]))

    def apply(self, ops: tuple[Op, ...]) -> str:
        """The text with all the changes made; Unfit where one of them cannot be."""
        plain = [edit for op in ops for edit in self._expand(op)]
        deleted = {op.stmt for op in plain if isinstance(op, Delete)}
        edits = sorted((self._edit(op, deleted) for op in plain), key=lambda e: (e[0], e[1]))
        if any(left[1] > right[0] for left, right in pairwise(edits)):
            raise Unfit("changes overlap")
        pieces, at = [], 0
        for start, end, text in edits:
            pieces += [self.source[at:start], text]
            at = end
        return "".join([*pieces, self.source[at:]])

    def _expand(self, op: Op) -> tuple[Edit, ...]:
        match op:
            case MoveBefore(stmt, anchor):
                return Delete(stmt), Before(anchor, self.dedented(stmt))
            case MoveAfter(stmt, anchor):
                return Delete(stmt), After(anchor, self.dedented(stmt))
            case _:
                return (op,)

    def _edit(self, op: Edit, deleted: set[ast.stmt]) -> tuple[int, int, str]:
        match op:
            case Delete(stmt):
                self._require_own_lines(stmt)
                body = self.bodies[stmt]
                # An empty block is not Python; only the last of its deleted statements leaves the `pass` behind.
                left = f"{self._indent(stmt)}pass\n" if set(body) <= deleted and stmt is body[-1] else ""
                return (*self._line_span(stmt), left)
            case Before(anchor, text):
                self._require_own_lines(anchor)
                start, _ = self._line_span(anchor)
                return start, start, _indented(text, self._indent(anchor))
            case After(anchor, text):
                self._require_own_lines(anchor)
                _, end = self._line_span(anchor)
                newline = "" if self.source[:end].endswith(("\n", "\r")) else "\n"
                return end, end, newline + _indented(text, self._indent(anchor))
            case Replace(node, text):
                if isinstance(node, ast.stmt):
                    self._require_own_lines(node)
                    return (*self._line_span(node), _indented(text, self._indent(node)))
                return (*self._span(node), text)
            case Dedent(stmt):
                self._require_own_lines(stmt)
                if stmt.body[0].lineno == stmt.lineno:
                    raise Unfit("one-line with")
                start, end = self._line_span(stmt)
                first = self.lines[_first(stmt.body[0]) - 1 : stmt.end_lineno]
                # Comments between the `with` line and the body's first statement belong to the body too.
                return start, end, _indented(textwrap.dedent("".join(first)), self._indent(stmt))
            case Undecorate(decorator):
                line = decorator.lineno
                return self._starts[line - 1], self._starts[decorator.end_lineno or line], ""

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.arg | ast.stmt)
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno or 0, node.end_col_offset or 0)

    def _offset(self, line: int, byte_column: int) -> int:
        return self._starts[line - 1] + len(self.lines[line - 1].encode()[:byte_column].decode())

    def _line_span(self, stmt: ast.stmt) -> tuple[int, int]:
        return self._starts[_first(stmt) - 1], self._starts[stmt.end_lineno or 0]

    def _indent(self, stmt: ast.stmt) -> str:
        line = self.lines[stmt.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def _require_own_lines(self, stmt: ast.stmt) -> None:
        start, end = self._span(stmt)
        before = self.source[self._starts[stmt.lineno - 1] : start]
        after = self.source[end : self._starts[stmt.end_lineno or 0]].strip()
        if before.strip() or (after and not after.startswith("#")):
            raise Unfit(f"line {stmt.lineno} holds more than one statement")


def _in_order(nodes: Iterable[ast.AST]) -> list[ast.stmt]:
    return sorted((n for n in nodes if isinstance(n, ast.stmt)), key=lambda n: (n.lineno, n.col_offset))


def _first(stmt: ast.stmt) -> int:
    if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and stmt.decorator_list:
        return stmt.decorator_list[0].lineno
    return stmt.lineno


def _statement_lists(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        value = getattr(node, name, None)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _indented(text: str, indent: str) -> str:
    # textwrap.indent would also indent the inside of a multi-line string; those are left out here.
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING and token.start[0] != token.end[0]:
            raise Unfit("a multi-line string cannot be reindented")
    return textwrap.indent(text if text.endswith("\n") else text + "\n", indent)
