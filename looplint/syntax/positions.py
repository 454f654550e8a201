"""Rows and columns of CST nodes, computed for a file only when something is reported in it."""

from __future__ import annotations

from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from looplint.finding import Location
from looplint.regex import regex
from looplint.syntax.site import Site

# Where a node begins and ends: row, column, row, column, from 1.
_Place = tuple[int, int, int, int]
_NEWLINE = regex(r"\r\n?|\n")


def span(site: Site) -> tuple[Location, Location]:
    """Start and end of a node: 1-based rows and columns."""
    code = site.module.code
    if code is not None and not code.spans:
        code.spans = places(code.tree)
    place = code.spans.get(site.node) if code is not None else None
    if place is None:
        return Location(1, 1), Location(1, 1)
    return Location(place[0], place[1]), Location(place[2], place[3])


def places(tree: cst.Module) -> dict[cst.CSTNode, _Place]:
    """Where each node of a tree begins and ends."""
    writing = _Writing(tree)
    tree._codegen(writing)
    return writing.found


class _Writing(CodegenState):
    """What LibCST writes a tree into, kept only for where each node comes to stand; with LibCST's own (`PositionProvider`) that takes twice as long."""

    def __init__(self, tree: cst.Module) -> None:
        super().__init__(tree.default_indent, tree.default_newline)
        self.found: dict[cst.CSTNode, _Place] = {}
        self.row, self.column = 1, 1
        self._begun: list[tuple[int, int]] = []
        # A module into which nothing was written gets a line of its own.
        self.tokens.append("")

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.add_token(token)

    def add_token(self, value: str) -> None:
        if "\n" in value or "\r" in value:
            *lines, last = _NEWLINE.split(value)
            self.row += len(lines)
            self.column = len(last) + 1
        else:
            self.column += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self._begun.append((self.row, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        # A node that says what of it counts has been recorded by then.
        self.found.setdefault(node, (*self._begun.pop(), self.row, self.column))

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Any:
        return _Recording(self, node, start_node, end_node)


class _Recording:
    """What is written in this block is what counts of a node; or what lies between two of its parts."""

    __slots__ = ("_writing", "_node", "_first", "_last", "_begun")

    def __init__(self, writing: _Writing, node: cst.CSTNode, first: cst.CSTNode | None, last: cst.CSTNode | None) -> None:
        self._writing, self._node, self._first, self._last = writing, node, first, last

    def __enter__(self) -> None:
        self._begun = (self._writing.row, self._writing.column)

    def __exit__(self, *_: object) -> None:
        writing = self._writing
        start = self._begun if self._first is None else writing.found[self._first][:2]
        end = (writing.row, writing.column) if self._last is None else writing.found[self._last][2:]
        writing.found[self._node] = (*start, *end)
