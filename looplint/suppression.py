"""Comments that silence findings: on a line, or in a whole file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from looplint.finding import Finding

_MARKERS = ("noqa", "looplint:")
_NOQA = re.compile(r"#\s*noqa(?::\s*(?P<codes>[A-Za-z]+[0-9]*(?:[,\s]+[A-Za-z]+[0-9]+)*))?", re.IGNORECASE)
_IGNORE = re.compile(r"#\s*looplint:\s*(?P<kind>ignore-file|ignore|noqa)\s*(?:\[(?P<names>[^\]]*)\])?", re.IGNORECASE)
ALL = "*"


@dataclass(slots=True)
class Suppressions:
    """Which codes and names are silenced on which row; row 0 is the whole file."""

    rows: dict[int, set[str]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Suppressions:
        """Read the comments of a file. Only real comments count, not strings that look like one."""
        found = cls()
        if not any(marker in text or marker.upper() in text for marker in _MARKERS):
            return found
        for row, comment in _comments(text):
            ignore = _IGNORE.search(comment)
            if ignore is not None:
                whole = ignore["kind"].lower() != "ignore"
                names = {n.strip() for n in (ignore["names"] or ALL).split(",") if n.strip()}
                found.rows.setdefault(0 if whole else row, set()).update(names)
                continue
            noqa = _NOQA.search(comment)
            if noqa is not None:
                codes = {c.upper() for c in re.split(r"[,\s]+", noqa["codes"]) if c} if noqa["codes"] else {ALL}
                found.rows.setdefault(row, set()).update(codes)
        return found

    def silences(self, finding: Finding) -> bool:
        """Whether a comment on the finding's first or last row, or on the file, names its code, its name or a prefix."""
        for row in {0, finding.location.row, finding.end_location.row, finding.noqa_row or finding.location.row}:
            for name in self.rows.get(row, ()):
                if name == ALL or name == finding.name or finding.code.startswith(name.upper()):
                    return True
        return False


def _comments(text: str) -> list[tuple[int, str]]:
    import io
    import tokenize

    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                found.append((token.start[0], token.string))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        # A newer syntax than this Python's own tokenizer knows: fall back to lines.
        found = [(row, line[line.index("#") :]) for row, line in enumerate(text.splitlines(), 1) if "#" in line]
    return found
