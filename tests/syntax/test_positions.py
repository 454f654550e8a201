"""Places and parts of nodes are those that LibCST itself gives, of real files with all kinds of statements."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from looplint.syntax.nodes import children, walk
from looplint.syntax.positions import places

_LAYOUT = (
    cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Comment, cst.Newline, cst.LeftParen, cst.RightParen, cst.Comma,
    cst.Semicolon, cst.LeftSquareBracket, cst.RightSquareBracket, cst.LeftCurlyBrace, cst.RightCurlyBrace, cst.Colon, cst.Dot, cst.AssignEqual,
)  # fmt: skip
_STANDARD = Path(sysconfig.get_paths()["stdlib"])
_WRITTEN = {
    "cases": "match a:\n    case [1, *rest, {'b': C(2, d=3) as e, **f}] | None if rest:\n        pass\n    case _:\n        pass\n",
    "asynchronous": "@a\nasync def f(a, /, b: int = 1, *c, d, **e) -> int:\n    async with a as b, c: x = [i async for i in a if i]\n    async for b in c: await d\n    else: pass\n",
    "handlers": "try:\n    pass\nexcept* (A, B) as c:\n    raise D from c\n",
    "expressions": "a = b if c else d\ne: int = (yield)\nf(g, h=1, *i, **j)\nk = lambda l=1: (m := l)[n:o:p, ...]\nq = f'{r!r:>{s}}' 't'\n",
    "lines": "x = '''\r\n  a'''\r\nif a :\r\n\tb ; c\r\n",
    "nothing": "",
    "no last line": "a = 1 # b",
    "types": "class A[T: int, *Ts](B, metaclass=C):\n    type D[**P] = E\n",
}


@pytest.mark.parametrize("text", _WRITTEN.values(), ids=list(_WRITTEN))
def test_places_are_those_of_libcst(text: str) -> None:
    assert_as_libcst(cst.parse_module(text.encode()))


@pytest.mark.parametrize("name", ["asyncio/base_events.py", "argparse.py", "enum.py"])
def test_those_of_a_file_are(name: str) -> None:
    assert_as_libcst(cst.parse_module((_STANDARD / name).read_bytes()))


def assert_as_libcst(tree: cst.Module) -> None:
    found = places(tree)
    given: Any = PositionProvider()._gen(MetadataWrapper(tree, unsafe_skip_copy=True))
    assert found == {node: (p.start.line, p.start.column + 1, p.end.line, p.end.column + 1) for node, p in given.items()}
    for node in walk(tree):
        marks = (*_LAYOUT, cst.BitOr) if isinstance(node, cst.MatchOrElement) else _LAYOUT
        assert children(node) == [child for child in node.children if not isinstance(child, marks)]
