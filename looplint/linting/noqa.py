"""Writing comments that silence findings: `# looplint: ignore[...]`, which other linters leave alone; ruff deletes codes in a `noqa` that it does not know."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

from looplint.finding import Finding
from looplint.linting.suppression import Directive, Suppressions, scan
from looplint.regex import regex

_OWN = regex(r"L[LP]\d*", re.IGNORECASE)


class NotSilenced(Exception):
    """No comment can be written that silences a finding without changing the program; says why."""


def add_noqa(text: str, findings: Iterable[Finding]) -> str:
    """A source with comments that silence findings of it.

    A comment is added to what stands on the line already; codes join those of looplint that are silenced there. Where a line cannot hold a comment, because it
    ends inside of a string or with a backslash, the comment goes to the end of that string or statement, where it counts as well.

    Raises:
        NotSilenced: the text cannot be read line by line, or would mean something else.
    """
    _, tails = scan(text)
    codes: dict[int, list[str]] = {}
    before = Suppressions.parse(text)
    findings = [f for f in findings if not before.silences(f)]
    for finding in findings:
        row = finding.noqa_row or finding.location.row
        codes.setdefault(tails.get(row, row), []).append(finding.code)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    for row, wanted in codes.items():
        directive = next((d for d in before.directives if d.row == row and _is_ours(d)), None)
        lines[row - 1] = _with(lines[row - 1], sorted(set(wanted)), directive)
    new = "".join(lines)
    if _program(new) != _program(text):
        raise NotSilenced("a comment would change what the file means")
    after = Suppressions.parse(new)
    left = next((f for f in findings if not after.silences(f)), None)
    if left is not None:
        raise NotSilenced(f"no comment silences {left.code} in row {left.location.row}")
    return new


def _is_ours(directive: Directive) -> bool:
    """Whether a comment on a line has a list of looplint's own codes."""
    if directive.kind == "noqa":
        return any(_OWN.fullmatch(word.text) for word in directive.words)
    return directive.kind == "ignore" and bool(directive.words)


def _with(line: str, codes: Sequence[str], directive: Directive | None) -> str:
    if directive is not None:
        end = directive.words[-1].end - 1
        return f"{line[:end]}, {', '.join(codes)}{line[end:]}"
    body = line.rstrip("\r\n")
    return f"{body.rstrip()}  # looplint: ignore[{', '.join(codes)}]{line[len(body) :]}"


def _program(text: str) -> list[tuple[int, str]]:
    """What the text says without its comments."""
    import tokenize

    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError, SyntaxError) as error:
        raise NotSilenced(f"the file cannot be tokenized: {error}") from None
    return [(t.type, t.string) for t in tokens if t.type not in (tokenize.COMMENT, tokenize.NL)]
