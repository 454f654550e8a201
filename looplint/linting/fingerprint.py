"""What a finding is, apart from the row it stands on: the same before and after lines above it came or went.

Two findings are the same when the rule, the file, the enclosing functions and the text of the line agree; equal ones are told
apart by their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePath

from looplint.dataclass import dataclass, replace
from looplint.finding import Finding
from looplint.regex import regex
from looplint.sources.reading import lines_of

_HEADER = regex(r"(?:async\s+)?(?:def|class)\s+(\w+)")
# A comment begins at a "#" outside of strings; a string that does not end on the line takes the rest of it.
_CODE = regex(r"""((?:[^#'"]|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|['"].*)*)""")
Lines = Callable[[str, int | None], Sequence[str]]


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """A finding without its row; `ordinal` counts from 0 those that agree in all else, from the top of the file down."""

    file: str
    code: str
    function: str
    line: str
    ordinal: int = 0

    def digest(self) -> str:
        """32 hexadecimal digits that are the same on every machine."""
        from hashlib import sha256

        text = "\0".join((self.code, self.file, self.function, self.line, str(self.ordinal)))
        return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def identify(findings: Iterable[Finding], lines: Lines = lines_of) -> list[Identity]:
    """The identities of findings, in their order.

    Args:
        findings: sorted by place, as a result holds them.
        lines: gives the lines of a file, or of a cell of a notebook, by the names that findings have for them.

    The number of a cell is no part of an identity: cells move, too.
    """
    texts: dict[tuple[str, int | None], Sequence[str]] = {}
    count: Counter[Identity] = Counter()
    identities = []
    for finding in findings:
        place = finding.filename, finding.cell
        if place not in texts:
            texts[place] = lines(*place)
        plain = _identity(finding, texts[place])
        identities.append(replace(plain, ordinal=count[plain]))
        count[plain] += 1
    return identities


def _identity(finding: Finding, lines: Sequence[str]) -> Identity:
    row = finding.location.row
    text = lines[row - 1] if 0 < row <= len(lines) else ""
    return Identity(PurePath(finding.filename).as_posix(), finding.code, enclosing(lines, row), normalised(text))


def normalised(line: str) -> str:
    """A line without its indentation, its spacing and its trailing comment."""
    code = _CODE.match(line)
    return " ".join((code[1] if code else line).split())


def enclosing(lines: Sequence[str], row: int) -> str:
    """The names of the functions and classes around a row, joined by dots; "" on the level of the module.

    Read from the indentation, so that it needs no parser and is the same under every version of Python.
    """
    if not 0 < row <= len(lines):
        return ""
    names: list[str] = []
    level = _indent(lines[row - 1])
    for text in reversed(lines[: row - 1]):
        if level == 0:
            break
        stripped = text.strip()
        if not stripped or stripped.startswith(("#", ")", "]", "}")) or _indent(text) >= level:
            continue
        level = _indent(text)
        header = _HEADER.match(stripped)
        if header is not None:
            names.append(header[1])
    return ".".join(reversed(names))


def _indent(text: str) -> int:
    expanded = text.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
