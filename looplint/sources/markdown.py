"""The Python of a Markdown document: every fenced block is a program of its own, at the rows it has in the document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from looplint.dataclass import dataclass
from looplint.regex import regex
from looplint.sources.compiling import refused
from looplint.sources.magics import rows_of, to_python

_FENCE = regex(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^\r\n]*)")
_PYTHON = frozenset({"python", "py", "python3", "py3"})
# Directives of Sphinx's Markdown that hold code in the language named after them.
_DIRECTIVES = frozenset({"code", "code-block", "sourcecode"})


@dataclass(frozen=True, slots=True)
class Block:
    """A block that is Python: the document's row of its first line, and a text in which its lines have the rows of the document."""

    first: int
    text: str


def blocks(document: str) -> Iterator[Block]:
    """The Python blocks of a document. What is no Python by itself (a session with prompts, a part with holes) is passed over."""
    rows = rows_of(document)
    number = 0
    while number < len(rows):
        opening = _FENCE.match(rows[number])
        number += 1
        if opening is None or ("`" in opening["info"] and opening["fence"][0] == "`"):
            continue
        start = number
        while number < len(rows) and not _closes(rows[number], opening["fence"]):
            number += 1
        if is_python(opening["info"]):
            block = _block(start, rows[start:number])
            if block is not None:
                yield block
        number += 1


def is_python(info: str) -> bool:
    """Whether the line that opens a block says that it is Python: `python`, `py title="x"`, `{.python}`, `{code-block} python`."""
    words = [word for word in re.split(r"[\s{},.=]+", info.lower()) if word]
    if words and words[0] in _DIRECTIVES:
        words = words[1:]
    return bool(words) and words[0] in _PYTHON


def _closes(row: str, fence: str) -> bool:
    stripped = row.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _block(start: int, rows: list[str]) -> Block | None:
    code = to_python("".join(rows))
    first = next((row for row in code if row.strip() and not row.lstrip().startswith("#")), "")
    if not first:
        return None
    # A block in a list is indented with it; the row of the fence gives that indentation something to stand under.
    heading = "if True:\n" if first[0] in " \t" else "\n"
    if refused("".join([heading, *code])) is not None:
        return None
    return Block(start + 1, "\n" * (start - 1) + "".join([heading, *code]))
