"""Indentation that Python understands and LibCST's parser does not: of tabs and spaces, and unlike that of the block around it."""

from __future__ import annotations

import tokenize
from io import StringIO

from looplint.regex import regex
from looplint.sources.compiling import refused

_INDENT = regex(r"[ \t\f]*")
_OF_BLOCKS = frozenset({tokenize.INDENT, tokenize.DEDENT, tokenize.NL})


def tabs_as_spaces(text: str) -> str | None:
    """A text with one space for each tab in its indentation; None where that does not stand for the same program.

    Python takes only what is indented in the same way whether a tab goes to the next multiple of eight columns or counts as one. So one space in its
    place makes the same blocks, and everything keeps its row and its column.
    """
    if "\t" not in text or refused(text) is not None:
        return None
    rows = text.split("\n")
    try:
        for row in _logical_lines(text):
            indent = _INDENT.match(rows[row - 1])
            if indent:
                rows[row - 1] = indent[0].replace("\t", " ") + rows[row - 1][indent.end() :]
    except (tokenize.TokenError, SyntaxError):
        return None
    return "\n".join(rows)


def _logical_lines(text: str) -> list[int]:
    """The rows in which a statement or a comment begins: the others may stand in a string, which keeps its tabs."""
    rows = []
    begins = True
    for token in tokenize.generate_tokens(StringIO(text, newline="\n").readline):
        if token.type == tokenize.NEWLINE:
            begins = True
        elif begins and token.type not in _OF_BLOCKS:
            rows.append(token.start[0])
            begins = token.type == tokenize.COMMENT
    return rows
