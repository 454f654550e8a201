"""Comments that silence findings: on a line, or in a whole file."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from typing import Literal

from looplint.dataclass import dataclass, field
from looplint.finding import Finding

_MARKERS = ("noqa", "looplint:")
_NOQA = r"(?i)#\s*noqa(?::\s*(?P<names>[A-Za-z]+[0-9]*(?:[,\s]+[A-Za-z]+[0-9]+)*))?"
_IGNORE = r"(?i)#\s*looplint:\s*(?P<kind>ignore-file|ignore|noqa)(?![-\w])\s*(?:\[(?P<names>[^\[\]#]*)\])?"
# What people write who mean to silence something: the words of other linters, looplint's own without a colon or misspelt, and codes alone.
_MEANT = (
    r"(?i)#\s*(?:no-?looplint\b|looplint\s{0,3}[:=]?\s{0,3}"
    r"(?:(?:ignore|noqa|disable|skip|off|suppress|allow|nolint)(?:[-_]\w+)*\b|[-_a-z]{0,20}\s{0,3}\[|L[LP]\d+\b))"
)
_NAME = r"[^,\s]+"


@dataclass(frozen=True, slots=True)
class Word:
    """A code, a prefix of codes or the name of a rule in a comment, and the columns (from 1) it begins at and ends before."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """One comment that silences: `noqa` as other linters know it, `ignore` of looplint's own, or `file` for a whole file.

    Without words it silences everything.
    """

    kind: Literal["noqa", "ignore", "file"]
    row: int
    start: int
    end: int
    words: tuple[Word, ...]


@dataclass(slots=True)
class Suppressions:
    """The comments of a file that silence, and the row that a comment for a row has to stand on where it cannot stand there."""

    directives: list[Directive] = field(default_factory=list)
    tails: dict[int, int] = field(default_factory=dict)
    # The directives and their words by the row they hold for (0 for a file), and by what the word says; the empty word is that of one without words.
    _by_row: dict[int, dict[str, list[tuple[Directive, Word | None]]]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Suppressions:
        """Read the comments of a file. Only real comments count, not strings that look like one."""
        found = cls()
        if not any(marker in text or marker.upper() in text for marker in _MARKERS):
            return found
        comments, found.tails = scan(text)
        for row, column, comment in comments:
            found.directives += _directives(row, column, comment)
        for directive in found.directives:
            by_word = found._by_row.setdefault(0 if directive.kind == "file" else directive.row, {})
            for word in directive.words or (None,):
                by_word.setdefault(word.text.upper() if word else "", []).append((directive, word))
        return found

    def silences(self, finding: Finding, filename: str = "") -> bool:
        """Whether a comment at the finding's first or last row, at another place of the same mistake, or for the file, names it or names nothing.

        It is named by its code, a prefix of that or the name of its rule; `filename` is that of the comments, where it is not the finding's own.
        """
        return any(True for _ in self.silencing(finding, filename))

    def silencing(self, finding: Finding, filename: str = "") -> Iterator[tuple[Directive, Word | None]]:
        """Every comment that silences a finding, with the word that does; None for one without words."""
        filename = filename or finding.filename
        rows = {r.location.row for r in finding.related if r.same and r.filename == filename}
        if filename == finding.filename:
            rows |= {0, finding.location.row, finding.end_location.row, finding.noqa_row or finding.location.row}
        rows |= {self.tails[row] for row in rows if row in self.tails}
        code = finding.code.upper()
        words = ("", finding.name.upper(), *(code[:length] for length in range(1, len(code) + 1)))
        for row in sorted(rows):
            by_word = self._by_row.get(row, {})
            for word in words if by_word else ():
                yield from by_word.get(word, ())


def without_effect(text: str, known: Collection[tuple[str, str]]) -> Iterator[tuple[int, int, str]]:
    """The comments of a file that are meant to silence something, and do not.

    Args:
        text: its text.
        known: code and name of every rule there is.

    Returns:
        Row and column (from 1) of each, and why it silences nothing.
    """
    if "looplint" not in text.lower():
        return
    suppressions = Suppressions.parse(text) if any(marker in text.lower() for marker in _MARKERS) else Suppressions()
    starts = {(directive.row, directive.start) for directive in suppressions.directives}
    for row, column, comment in scan(text)[0]:
        for meant in re.finditer(_MEANT, comment):
            if (row, column + meant.start()) not in starts:
                yield row, column + meant.start(), "this comment silences nothing; `# looplint: ignore[CODE]` silences a line"
    for directive in suppressions.directives:
        for word in directive.words if directive.kind != "noqa" else ():
            if not any(code.startswith(word.text.upper()) or name == word.text.lower() for code, name in known):
                yield directive.row, word.start, f"no rule has the code or name {word.text}, so the comment silences nothing by it"


def _directives(row: int, column: int, comment: str) -> Iterator[Directive]:
    for match in re.finditer(_IGNORE, comment):
        words = _words(match, column)
        # Empty brackets name nothing, and so silence nothing.
        if words or match["names"] is None:
            yield Directive(
                "ignore" if match["kind"].lower() == "ignore" else "file", row, column + match.start(), column + match.end(), words
            )
    for match in re.finditer(_NOQA, comment):
        yield Directive("noqa", row, column + match.start(), column + match.end(), _words(match, column))


def _words(match: re.Match[str], column: int) -> tuple[Word, ...]:
    if match["names"] is None:
        return ()
    begin = column + match.start("names")
    return tuple(Word(m[0], begin + m.start(), begin + m.end()) for m in re.finditer(_NAME, match["names"]))


def comment_row(text: str, row: int) -> int:
    """The row on which a comment for a row has to stand: another one where that row ends inside of a string or with a backslash."""
    line = text.split("\n", row)[row - 1] if row <= text.count("\n") + 1 else ""
    # Reading all tokens takes longer than anything else that is done with a finding.
    return scan(text)[1].get(row, row) if re.search(r"\"\"\"|'''|\\\r?$", line) else row


def scan(text: str) -> tuple[list[tuple[int, int, str]], dict[int, int]]:
    """The comments of a source, and where a comment for a row can stand.

    Returns:
        Row, column (from 1) and text of each comment; and for each row that ends inside of a string or with a backslash, the row
        at which that string or statement ends.
    """
    import tokenize

    comments: list[tuple[int, int, str]] = []
    joined: dict[int, int] = {}
    opened: list[int] = []
    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = tokenize.tok_name[token.type]
            row, end = token.start[0], token.end[0]
            if kind == "COMMENT":
                comments.append((row, token.start[1] + 1, token.string))
            # A statement goes on in a row to which nothing but a backslash leads.
            if last and row > last:
                joined |= dict.fromkeys(range(last, row), row)
            if kind.endswith("STRING_START"):
                opened.append(row)
            elif kind.endswith("STRING_END") and opened:
                joined |= dict.fromkeys(range(opened.pop(), end), end)
            elif kind == "STRING":
                joined |= dict.fromkeys(range(row, end), end)
            last = 0 if kind in ("NEWLINE", "NL", "COMMENT", "INDENT", "DEDENT") else end
    except (tokenize.TokenError, IndentationError, SyntaxError):
        # A newer syntax than this Python's own tokenizer knows: fall back to lines.
        comments = [(row, line.index("#") + 1, line[line.index("#") :]) for row, line in enumerate(text.splitlines(), 1) if "#" in line]
        return comments, {}
    return comments, _followed(joined)


def _followed(joined: dict[int, int]) -> dict[int, int]:
    tails: dict[int, int] = {}
    for row in sorted(joined, reverse=True):
        tails[row] = tails.get(joined[row], joined[row])
    return tails
