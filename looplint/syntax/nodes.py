"""What is in a node of the tree, without its layout.

LibCST's own `children` builds each node anew to find out, which takes twenty times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import libcst as cst

# The fields that hold white space, comments, brackets and other marks.
_LAYOUT = frozenset(
    "colon comma dot empty_lines equal first_colon footer header lbrace lbracket leading_lines leading_whitespace lines_after_decorators lpar rbrace "
    "rbracket relative rpar second_colon semicolon separator trailing_comma trailing_whitespace".split()
)
# Where the fields of a class are declared in another order than they are written in.
_WRITTEN: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Arg: ("keyword",),
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords"),
    cst.CompFor: ("asynchronous",),
    cst.ExceptHandler: ("type", "name"),
    cst.ExceptStarHandler: ("type", "name"),
    cst.For: ("asynchronous",),
    cst.FunctionDef: ("decorators", "asynchronous", "name", "type_parameters", "params", "returns"),
    cst.IfExp: ("body",),
    cst.MatchCase: ("pattern", "guard"),
    cst.Parameters: ("posonly_params", "posonly_ind", "params"),
    cst.TypeAlias: ("name", "type_parameters"),
    cst.With: ("asynchronous",),
}


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes in a node, in the order of the text."""
    found: list[cst.CSTNode] = []
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            found.append(value)
        elif isinstance(value, list | tuple):
            found += value
    return found


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """A node and all that are in it."""
    work = [node]
    while work:
        item = work.pop()
        yield item
        work += children(item)


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a class in which nodes can be."""
    declared = [name for name in kind.__dataclass_fields__ if not name.startswith(("_", "whitespace")) and name not in _LAYOUT]
    first = _WRITTEN.get(kind, ())
    return (*first, *(name for name in declared if name not in first))
