"""How deeply a text is nested, by its tokens, before it is parsed.

LibCST's parser goes down a level for each bracket and for each link of a chain. Where its stack overflows, the process dies; and its time grows with the
square of a chain's length, with some its memory, too. What is not told apart here is counted as if it were deeper, never the other way round.
"""

from __future__ import annotations

import re

from looplint.dataclass import dataclass, field
from looplint.regex import regex

# As many as CPython itself takes: brackets within brackets, and blocks within blocks.
MOST_BRACKETS = 200
MOST_BLOCKS = 100
# Links of a chain, with those around it: operators, calls, attributes, `or`, comparisons, adjoining strings, `elif`. CPython takes up to 3,000.
MOST_LINKS = 2000
# Links that take memory with the square of their number, too: signs, powers, `not`, `if` in expressions, `lambda`.
MOST_STACKED_LINKS = 1000
# Links and brackets that the parser can take on the stack of any thread, in a time that does not matter.
_LINKS_OF_NO_MATTER = 500
# As how many links a bracket counts.
_BRACKET = 2

_TOKEN = regex(
    r"""(?P<continued>\\\r?\n)
    |(?P<line>\r?\n(?P<indent>[ \t\f]*)(?:(?P<word>def|class|import|return|while|with|try|raise|del|pass|assert|elif|if)\b)?)
    |(?P<quote>'''|\"""|'|")
    |(?P<comment>\#[^\n]*)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<end>[,;]|(?<![+\-*/%@&|^<>=!:])=(?!=))
    |(?P<colon>:(?!=))
    |(?P<lambda>\blambda\b)
    |(?P<stacked>\b(?:not|await|if)\b|\*\*|~|[+\-](?=\s*[+\-~]))
    |(?P<link>\b(?:or|and|in|is)\b|//|<<|>>|[<>](?![<>])|[=!]=|[+\-*/%@&|^]|\.(?=[^\W\d]|\s))""",
    re.VERBOSE,
)
# The first look: strings, apart from formatted ones, and comments; and what begins a statement wherever it stands at the beginning of a line.
_UNREAD = regex(
    r"""'''(?P<a>[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*)(?:'''|\Z)|\"""(?P<b>[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*)(?:\"""|\Z)
    |'(?P<c>[^'\\\n]*(?:\\.[^'\\\n]*)*)(?:'|$)|"(?P<d>[^"\\\n]*(?:\\.[^"\\\n]*)*)(?:"|$)|\#[^\n]*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)  # fmt: skip
_BEGINNING = regex(
    r"\n[ \t\f]*(?:def|class|import|return|while|with|try|raise|del|pass|assert|elif|except|finally|break|continue)\b|\n[ \t\f]*else[ \t]*:"
)
_DEEPLY_INDENTED = regex(rf"\n[ \t\f]{{{MOST_BLOCKS}}}")
# Matching a string keeps something for each backslash in it.
_MOST_BACKSLASHES = 100_000
_CLOSING = {quote: regex(rf"\\.|{quote}" + ("" if len(quote) == 3 else "|\n"), re.DOTALL) for quote in ("'''", '"""', "'", '"')}
_LINKS = ("not", "await", "if", "lambda", "<<", ">>", *"+-*/%@&|^~.")
# These begin a statement and stand in no bracket: what was open before them was not understood.
_STATEMENTS = frozenset({"def", "class", "import", "return", "while", "with", "try", "raise", "del", "pass", "assert"})


class TooDeep(Exception):
    """A text that is nested more deeply than the parser can take; says how, and in which row."""

    def __init__(self, message: str, row: int) -> None:
        super().__init__(message)
        self.message = message
        self.row = row


@dataclass(slots=True)
class _Level:
    """What stands within one bracket, since the last comma: links, those of them that are stacked, and lambdas that still wait for their colon."""

    links: int = 0
    stacked: int = 0
    lambdas: int = 0


@dataclass(slots=True)
class _Depth:
    """Where a scan is: the brackets that are open, and the links of all of them together."""

    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    links: int = 0
    stacked: int = 0

    def link(self, weight: int = 1, *, stacked: bool = False) -> None:
        self.links += weight
        self.levels[-1].links += weight
        if stacked:
            self.stacked += 1
            self.levels[-1].stacked += 1

    def open(self) -> None:
        # A bracket may be a call or a subscript, and so a link, which takes longer than others.
        self.link(_BRACKET)
        self.levels.append(_Level())

    def close(self) -> None:
        if len(self.levels) > 1:
            self._forget(self.levels.pop())

    def end(self) -> None:
        """An item of a list, or a statement, has ended."""
        if not self.levels[-1].lambdas:
            self._forget(self.levels[-1])
            self.levels[-1] = _Level()

    def restart(self) -> None:
        self.levels, self.links, self.stacked = [_Level()], 0, 0

    def _forget(self, level: _Level) -> None:
        self.links -= level.links
        self.stacked -= level.stacked

    @property
    def excess(self) -> str:
        """What there is too much of, or nothing."""
        if len(self.levels) > MOST_BRACKETS + 1:
            return f"more than {MOST_BRACKETS} brackets within each other"
        if self.links > MOST_LINKS:
            return f"an expression of more than {MOST_LINKS} operators, calls, attributes or other parts in a chain"
        if self.stacked > MOST_STACKED_LINKS:
            return f"an expression of more than {MOST_STACKED_LINKS} signs, powers, negations, conditions or lambdas in a chain"
        return ""


def check(text: str) -> bool:
    """See that a text is nested no more deeply than the parser can take; and say whether that takes a larger stack than that of any thread.

    Raises:
        TooDeep: it is.
    """
    if not _may_be_deep(text):
        return False
    _check(f"\n{text}")
    return True


def _may_be_deep(text: str) -> bool:
    """A first look, which takes a tenth of the time: whether any part of a text between two beginnings of statements has many links."""
    if len(text) < MOST_BRACKETS:
        return False
    if text.count("\\") > _MOST_BACKSLASHES or text.count("elif") > _LINKS_OF_NO_MATTER or _DEEPLY_INDENTED.search(text):
        return True
    return any(len(part) >= MOST_BRACKETS and _has_many_links(part) for part in _BEGINNING.split(_UNREAD.sub(_read, text)))


def _read(string: re.Match[str]) -> str:
    """What is left of a string: of a formatted one everything, for it may hold expressions."""
    if _is_formatted(string.string, string.start()):
        return f" {string['a'] or string['b'] or string['c'] or string['d'] or ''} "
    return "''"


def _has_many_links(part: str) -> bool:
    brackets = part.count("(") + part.count("[") + part.count("{")
    if brackets > MOST_BRACKETS:
        return True
    if len(part) > _LINKS_OF_NO_MATTER and brackets + sum(map(part.count, _LINKS)) > _LINKS_OF_NO_MATTER:
        return True
    return len(part) > 2 * MOST_LINKS


def _check(text: str) -> None:
    blocks = [0]
    branches: dict[int, int] = {}
    depth = _Depth()
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        position = match.end()
        kind = match.lastgroup
        match kind:
            case "line" | "word" | "indent":
                word = match["word"]
                if word in _STATEMENTS:
                    depth.restart()
                if len(depth.levels) > 1:
                    if word in ("if", "elif"):
                        depth.link(stacked=True)
                    continue
                depth.restart()
                if text[position : position + 1] not in ("\n", "\r", "#", ""):
                    column = len(match["indent"].expandtabs())
                    while column < blocks[-1]:
                        blocks.pop()
                    if column > blocks[-1]:
                        blocks.append(column)
                        if len(blocks) > MOST_BLOCKS + 1:
                            raise TooDeep(f"has more than {MOST_BLOCKS} blocks within each other", _row(text, position))
                    branches[column] = branches.get(column, 0) + 1 if word == "elif" else 0
                    if branches[column] > MOST_LINKS:
                        raise TooDeep(f"has an `if` with more than {MOST_LINKS} branches", _row(text, position))
                continue
            case "quote":
                end = _end_of_string(text, position, match["quote"])
                if _is_formatted(text, match.start()):
                    _check_formatted(text[position:end], depth, _row(text, position))
                position = end
                depth.link()
            case "open":
                depth.open()
            case "close":
                depth.close()
            case "end":
                depth.end()
            case "lambda":
                depth.link(stacked=True)
                depth.levels[-1].lambdas += 1
            case "colon":
                depth.levels[-1].lambdas = max(0, depth.levels[-1].lambdas - 1)
            case "link" | "stacked":
                depth.link(stacked=kind == "stacked")
        if depth.links > MOST_BRACKETS and (excess := depth.excess):
            raise TooDeep(f"has {excess}", _row(text, position))


def _end_of_string(text: str, position: int, quote: str) -> int:
    for match in _CLOSING[quote].finditer(text, position):
        if match[0] == quote:
            return match.end()
        if match[0] == "\n":
            return match.start()
    return len(text)


def _is_formatted(text: str, start: int) -> bool:
    """Whether the prefix of a string makes expressions of what stands in braces."""
    return any(letter in "fFtT" for letter in text[max(0, start - 2) : start])


def _check_formatted(body: str, outer: _Depth, row: int) -> None:
    """See how deep the expressions in a formatted string are, which are parsed as well. Everything in it is taken for one."""
    if sum(map(body.count, "([{")) + len(outer.levels) > MOST_BRACKETS or len(body) > _LINKS_OF_NO_MATTER:
        depth = _Depth()
        inside = 0
        for match in _TOKEN.finditer(body.replace("{{", "  ")):
            match match.lastgroup:
                case "open":
                    inside += 1
                    depth.open()
                case "close":
                    inside = max(0, inside - 1)
                    depth.close()
                case "end":
                    depth.end()
                case "link" | "stacked" | "lambda" if inside:
                    depth.link(stacked=match.lastgroup != "link")
            if len(depth.levels) + len(outer.levels) > MOST_BRACKETS + 1 or depth.links + outer.links > MOST_LINKS or depth.excess:
                raise TooDeep("has a formatted string with expressions that are nested too deeply", row)


def _row(text: str, position: int) -> int:
    return text.count("\n", 0, position)
