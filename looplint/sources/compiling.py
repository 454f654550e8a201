"""What the running Python itself says of a text that is no Python: people know its words, and it knows the place."""

from __future__ import annotations

import re

from looplint.dataclass import dataclass
from looplint.finding import Location

_ROWS = re.compile(r"\s*(\(detected at line \d+\)|on line \d+)")


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


def without_rows(message: str) -> str:
    """A message without the rows it names, where they are not those that people count."""
    return _ROWS.sub("", message)
