"""Parsing and lowering, once for each text: the files of one run import the same modules."""

from __future__ import annotations

import libcst as cst

from looplint.syntax import bounds
from looplint.syntax.ir import ModuleCode
from looplint.syntax.lowering import lower
from looplint.syntax.stack import on_a_larger_stack

# How many characters of source are kept lowered; a character of source takes about a hundred bytes as a tree.
_MOST_KEPT = 1_000_000
_kept: dict[str, ModuleCode] = {}


def parsed(text: str) -> ModuleCode:
    """The lowered module of a text. What is returned is shared, and never changed.

    Raises:
        libcst.ParserSyntaxError: the text is no Python.
        TooDeep: it is nested more deeply than the parser can take.
        RecursionError: it is nested more deeply than Python's stack allows here.
    """
    code = _kept.pop(text, None)
    if code is None:
        deep = bounds.check(text)
        code = lower(on_a_larger_stack(cst.parse_module, text) if deep else cst.parse_module(text))
        left = _MOST_KEPT - len(text) - sum(map(len, _kept))
        while left < 0 and _kept:
            oldest = next(iter(_kept))
            left += len(oldest)
            del _kept[oldest]
    _kept[text] = code
    return code
