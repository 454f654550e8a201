"""The statements of a file as text: where each stands, in which block, and what its neighbours are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import libcst as cst

from looplint.finding import Location
from looplint.regex import regex
from looplint.syntax.nodes import children
from looplint.syntax.positions import span
from looplint.syntax.project import ModuleInfo
from looplint.syntax.site import Site

_NEWLINE = regex(r"\r\n|\r|\n")
_INDENT = regex(r"[ \t\f]*")


class Block:
    """A suite of statements: its owner (None for the module), and whether it stands on its owner's line."""

    def __init__(self, owner: Statement | None, node: cst.CSTNode, *, one_line: bool) -> None:
        self.owner, self.node, self.one_line = owner, node, one_line
        self.statements: list[Statement] = []


class Statement:
    """A simple statement or a compound one: its offsets in the text, without comments, and its place in a block.

    `line` counts the lines of the block: statements joined by ";" share one.
    """

    def __init__(self, node: cst.CSTNode, block: Block, index: int, start: int, end: int, line: int) -> None:
        self.node, self.block, self.index = node, block, index
        self.start, self.end, self.line = start, end, line
        self.blocks: list[Block] = []

    @property
    def before(self) -> Statement | None:
        return self.block.statements[self.index - 1] if self.index else None

    @property
    def after(self) -> Statement | None:
        siblings = self.block.statements
        return siblings[self.index + 1] if self.index + 1 < len(siblings) else None

    @property
    def joined(self) -> bool:
        """Whether it shares its line with others or with the head of its block."""
        neighbours = [s for s in (self.before, self.after) if s is not None]
        return self.block.one_line or any(s.line == self.line for s in neighbours)

    def ancestors(self) -> Iterator[Statement]:
        """The statement itself and those around it, innermost first."""
        found: Statement | None = self
        while found is not None:
            yield found
            found = found.block.owner

    def within(self, block: Block) -> Statement | None:
        """The statement of a block that this one is or is part of."""
        return next((s for s in self.ancestors() if s.block is block), None)


class Layout:
    """The text of a module with its statements, found by place."""

    def __init__(self, info: ModuleInfo) -> None:
        assert info.code is not None
        self.info = info
        self.text = info.source.text
        self._starts = [0, *(m.end() for m in _NEWLINE.finditer(self.text))]
        self.newline = info.code.tree.default_newline
        self.by_node: dict[cst.CSTNode, Statement] = {}
        self.top = Block(None, info.code.tree, one_line=False)
        self._fill(self.top, info.code.tree.body)
        self._order = sorted(self.by_node.values(), key=lambda s: (s.start, -s.end))

    # -- offsets

    def offset(self, place: Location) -> int:
        return self._starts[place.row - 1] + place.column - 1

    def location(self, offset: int) -> Location:
        row = bisect_right(self._starts, offset)
        return Location(row, offset - self._starts[row - 1] + 1)

    def extent(self, node: cst.CSTNode) -> tuple[int, int]:
        """The offsets of a node, without the parentheses and whitespace around it."""
        start, end = span(Site(self.info, node))
        return self.offset(start), self.offset(end)

    def code(self, node: cst.CSTNode) -> str:
        start, end = self.extent(node)
        return self.text[start:end]

    def row_start(self, offset: int) -> int:
        return self._starts[bisect_right(self._starts, offset) - 1]

    def row_end(self, offset: int) -> int:
        """The offset after the line end of the row of an offset."""
        row = bisect_right(self._starts, offset)
        return self._starts[row] if row < len(self._starts) else len(self.text)

    def indent(self, statement: Statement) -> str:
        return self._indent_of_row(statement.start)

    def _indent_of_row(self, offset: int) -> str:
        found = _INDENT.match(self.text, self.row_start(offset))
        return found[0] if found else ""

    # -- statements

    def statement_of(self, node: cst.CSTNode) -> Statement | None:
        """The innermost statement that a node stands in."""
        start, end = self.extent(node)
        found = None
        for statement in self._order:
            if statement.start > start:
                break
            if end <= statement.end:
                found = statement
        return found

    def function_of(self, statement: Statement) -> Statement | None:
        """The function definition around a statement, or None at the top of the module."""
        around = list(statement.ancestors())[1:]
        return next((s for s in around if isinstance(s.node, cst.FunctionDef)), None)

    def strings(self, start: int, end: int) -> list[tuple[int, int]]:
        """The extents of strings over several lines: what stands in them must not be re-indented."""
        found = []
        work: list[cst.CSTNode] = [s.node for s in self._order if s.start < end and start < s.end]
        seen: set[int] = set()
        while work:
            node = work.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, cst.SimpleString | cst.FormattedString):
                place = self.extent(node)
                if _NEWLINE.search(self.text, *place):
                    found.append(place)
            else:
                work += children(node)
        return found

    def _fill(self, block: Block, nodes: Sequence[cst.CSTNode], line: int = 0) -> None:
        for number, node in enumerate(nodes):
            if isinstance(node, cst.SimpleStatementLine):
                for small in node.body:
                    self._add(block, small, number)
            else:
                self._add(block, node, line if block.one_line else number)

    def _add(self, block: Block, node: cst.CSTNode, line: int) -> None:
        start, end = self.extent(node)
        decorators = node.decorators if isinstance(node, cst.FunctionDef | cst.ClassDef) else ()
        if decorators:
            first = self.extent(decorators[0].decorator)[0]
            start = self.row_start(first) + len(self._indent_of_row(first))
        statement = Statement(node, block, len(block.statements), start, end, line)
        block.statements.append(statement)
        self.by_node[node] = statement
        for suite in _suites(node):
            inner = Block(statement, suite, one_line=isinstance(suite, cst.SimpleStatementSuite))
            statement.blocks.append(inner)
            self._fill(inner, suite.body)
            if inner.statements:
                statement.end = max(statement.end, inner.statements[-1].end)


def _suites(node: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """The suites of a compound statement, those of its elif, else, except and finally too."""
    match node:
        case cst.If():
            yield node.body
            if isinstance(node.orelse, cst.If):
                yield from _suites(node.orelse)
            elif node.orelse is not None:
                yield node.orelse.body
        case cst.For() | cst.While():
            yield node.body
            if node.orelse is not None:
                yield node.orelse.body
        case cst.Try() | cst.TryStar():
            yield node.body
            yield from (handler.body for handler in node.handlers)
            if node.orelse is not None:
                yield node.orelse.body
            if node.finalbody is not None:
                yield node.finalbody.body
        case cst.With() | cst.FunctionDef() | cst.ClassDef():
            yield node.body
        case cst.Match():
            yield from (case.body for case in node.cases)
