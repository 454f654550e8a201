"""What the running Python itself says of a text that is no Python: people know its words, and it knows the place."""

from __future__ import annotations

import re
import sys

from looplint.dataclass import dataclass
from looplint.finding import Location
from looplint.regex import regex

_ROWS = regex(r"\s*(\(detected at line \d+\)|on line \d+)")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text is no Python, and where; `limit` where it may be, but is more than the compiler can take."""

    message: str
    location: Location
    limit: bool = False


def refused(text: str) -> Refusal | None:
    """What keeps a text from being compiled; None where nothing does. Nothing of it is run."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text.removeprefix("\ufeff"), "<text>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return Refusal(error.msg, Location(max(1, error.lineno or 1), max(1, error.offset or 1)))
    except (ValueError, OverflowError, RecursionError, MemoryError):
        return Refusal("too deeply nested, or holds a null byte", Location(1, 1), limit=True)
    return None


# Syntax that the parser knows and an older Python does not: the version that brought it, and a line that has it.
_NEWER = (
    ((3, 12), regex(r"\s*type\s+\w+\s*(?:=|\[)|\s*(?:async\s+)?(?:def|class)\s+\w+\s*\[")),
    ((3, 14), regex(r"\s*except\s+[\w.]+\s*,|.*\b(?:t|tr|rt)[\"']", re.IGNORECASE)),
)


def newer_syntax(text: str, refusal: Refusal) -> str:
    """The version of Python whose syntax the running one has stumbled over; nothing where it is no known one, or that is not newer."""
    rows = text.splitlines()
    line = rows[refusal.location.row - 1] if refusal.location.row <= len(rows) else ""
    if refusal.message.startswith("f-string") and sys.version_info < (3, 12):
        return "3.12"
    return next((f"{a}.{b}" for (a, b), written in _NEWER if sys.version_info < (a, b) and written.match(line)), "")


def without_rows(message: str) -> str:
    """A message without the rows it names, where they are not those that people count."""
    return _ROWS.sub("", message)
