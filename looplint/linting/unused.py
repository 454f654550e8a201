"""Comments that silence nothing: what rule LL001 reports, judged when all other rules have run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from looplint.finding import Edit, Finding, Fix, Location
from looplint.linting.suppression import Directive, Suppressions, Word
from looplint.regex import regex

CODE, NAME = "LL001", "unused-suppression"
# A code in a `noqa` may be another linter's, unless it looks like one of ours.
_OWN = regex(r"L[LP]\d*", re.IGNORECASE)


def unused(
    filename: str, text: str, found: Iterable[Finding], known: Collection[tuple[str, str]], unasked: Collection[tuple[str, str]] = ()
) -> Iterator[Finding]:
    """Report the comments of a file that silence nothing.

    A bare `noqa` or `ignore` is never reported: it may be meant for another linter, or for a rule that was not asked.

    Args:
        filename: what findings call the file.
        text: its text.
        found: what all rules found in it, silenced or not.
        known: code and name of every rule there is.
        unasked: those of rules that were not run, of which nothing is known.
    """
    suppressions = Suppressions.parse(text)
    used = {(id(directive), word) for finding in found for directive, word in suppressions.silencing(finding, filename)}
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for directive in suppressions.directives:
        words = [w for w in directive.words if (id(directive), w) not in used and _judged(directive, w, known) and not _names(w, unasked)]
        # A comment that wants its own kind left alone says so.
        words = [w for w in words if w.text.upper() != CODE and w.text.lower() != NAME]
        if words:
            finding = _finding(filename, lines, directive, words, known)
            silencing = suppressions.silencing(finding)
            # A comment such as `noqa: LL` cannot silence the finding about itself.
            if all(by is directive and word in words for by, word in silencing):
                yield finding


def _judged(directive: Directive, word: Word, known: Collection[tuple[str, str]]) -> bool:
    return directive.kind != "noqa" or _OWN.fullmatch(word.text) is not None or any(word.text.upper() == code for code, _ in known)


def _names(word: Word, rules: Collection[tuple[str, str]]) -> bool:
    return any(code.startswith(word.text.upper()) or name == word.text.lower() for code, name in rules)


def _finding(
    filename: str, lines: Sequence[str], directive: Directive, words: Sequence[Word], known: Collection[tuple[str, str]]
) -> Finding:
    row = directive.row
    start, end = Location(row, directive.start), Location(row, directive.end)
    where = "in this file" if directive.kind == "file" else "here"
    unknown = [w.text for w in words if not _names(w, known)]
    absent = [w.text for w in words if w.text not in unknown]
    parts = []
    if absent:
        parts.append(f"{_listed(absent)} {'is' if len(absent) == 1 else 'are'} silenced {where}, and would not be reported")
    if unknown:
        parts.append(f"{_listed(unknown)} {'is' if len(unknown) == 1 else 'are'} silenced {where}, and no rule has that code or name")
    fix = Fix(_done(directive, words), "safe", (_edit(filename, lines, directive, words),))
    return Finding(CODE, NAME, "; ".join(parts), filename, start, end, fix=fix, noqa_row=row, severity="advice")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _done(directive: Directive, words: Sequence[Word]) -> str:
    return "delete the comment" if len(words) == len(directive.words) else f"delete {_listed([w.text for w in words])} from the comment"


def _edit(filename: str, lines: Sequence[str], directive: Directive, words: Sequence[Word]) -> Edit:
    row, line = directive.row, lines[directive.row - 1]
    kept = [w.text for w in directive.words if w not in words]
    if kept:
        first, last = directive.words[0], directive.words[-1]
        return Edit(filename, Location(row, first.start), Location(row, last.end), ", ".join(kept))
    before, after = line[: directive.start - 1], line[directive.end - 1 :].lstrip()
    if after:
        # Another comment stays as it is; words that explained this one stay as a comment.
        begun = after.startswith("#")
        rest = after if begun else after.lstrip("-:;,. ")
        return Edit(filename, Location(row, directive.start), Location(row, len(line) - len(rest) + 1), "" if begun else "# ")
    if not before.strip() and row < len(lines):
        return Edit(filename, Location(row, 1), Location(row + 1, 1), "")
    return Edit(filename, Location(row, len(before.rstrip()) + 1), Location(row, len(line) + 1), "")
