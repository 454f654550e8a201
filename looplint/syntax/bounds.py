"""How deeply a text is nested, by its tokens, before it is parsed.

LibCST's parser goes down a level for each bracket and for each link of a chain. Where its stack overflows, the process dies; and its time grows with the
square of a chain's length. What is not told apart here is counted as if it were deeper, never the other way round.
"""

from __future__ import annotations

import re

from looplint.dataclass import dataclass, field

# As many as CPython itself takes: brackets within brackets, and blocks within blocks.
MOST_BRACKETS = 200
MOST_BLOCKS = 100
# Links of a chain, with those around it, that take quadratic time: operators, calls, attributes, signs.
MOST_LINKS = 500
# Links that take linear time: `or`, comparisons, adjoining strings, `elif`.
MOST_LIGHT_LINKS = 2000

_TOKEN = re.compile(
    r"""(?P<continued>\\\r?\n)
    |(?P<line>\r?\n(?P<indent>[ \t\f]*)(?:(?P<word>def|class|import|return|while|with|try|raise|del|pass|assert|elif|if)\b)?)
    |(?P<quote>'''|\"""|'|")
    |(?P<comment>\#[^\n]*)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<end>[,;]|(?<![+\-*/%@&|^<>=!:])=(?!=))
    |(?P<colon>:(?!=))
    |(?P<light>\b(?:or|and|in|is)\b|[<>](?![<>])|[=!]=)
    |(?P<lambda>\blambda\b)
    |(?P<heavy>\b(?:not|await|if)\b|\*\*|//|<<|>>|[+\-*/%@&|^~]|\.(?=[^\W\d]|\s))""",
    re.VERBOSE,
)
# The first look: strings, apart from formatted ones, and comments; and what begins a statement wherever it stands at the beginning of a line.
_UNREAD = re.compile(
    r"""'''(?P<a>[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*)(?:'''|\Z)|\"""(?P<b>[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*)(?:\"""|\Z)
    |'(?P<c>[^'\\\n]*(?:\\.[^'\\\n]*)*)(?:'|$)|"(?P<d>[^"\\\n]*(?:\\.[^"\\\n]*)*)(?:"|$)|\#[^\n]*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)  # fmt: skip
_BEGINNING = re.compile(
    r"\n[ \t\f]*(?:def|class|import|return|while|with|try|raise|del|pass|assert|elif|except|finally|break|continue)\b|\n[ \t\f]*else[ \t]*:"
)
_DEEPLY_INDENTED = re.compile(rf"\n[ \t\f]{{{MOST_BLOCKS}}}")
# Matching a string keeps something for each backslash in it.
_MOST_BACKSLASHES = 100_000
_CLOSING = {quote: re.compile(rf"\\.|{quote}" + ("" if len(quote) == 3 else "|\n"), re.DOTALL) for quote in ("'''", '"""', "'", '"')}
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
    """What stands within one bracket, since the last comma: links, and lambdas that still wait for their colon."""

    heavy: int = 0
    light: int = 0
    lambdas: int = 0


@dataclass(slots=True)
class _Depth:
    """Where a scan is: the brackets that are open, and the links of all of them together."""

    levels: list[_Level] = field(default_factory=lambda: [_Level()])
    heavy: int = 0
    light: int = 0

    def link(self, *, light: bool = False) -> None:
        if light:
            self.light += 1
            self.levels[-1].light += 1
        else:
            self.heavy += 1
            self.levels[-1].heavy += 1

    def open(self) -> None:
        # A bracket may be a call or a subscript, and so a link.
        self.link()
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
        self.levels, self.heavy, self.light = [_Level()], 0, 0

    def _forget(self, level: _Level) -> None:
        self.heavy -= level.heavy
        self.light -= level.light

    @property
    def excess(self) -> str:
        """What there is too much of, or nothing."""
        if len(self.levels) > MOST_BRACKETS + 1:
            return f"more than {MOST_BRACKETS} brackets within each other"
        if self.heavy > MOST_LINKS:
            return f"an expression of more than {MOST_LINKS} operators, calls or attributes in a chain"
        if self.light > MOST_LIGHT_LINKS:
            return f"an expression of more than {MOST_LIGHT_LINKS} parts in a chain"
        return ""


def check(text: str) -> None:
    """See that a text is nested no more deeply than the parser can take.

    Raises:
        TooDeep: it is.
    """
    if _may_be_deep(text):
        _check(f"\n{text}")


def _may_be_deep(text: str) -> bool:
    """A first look, which takes a tenth of the time: whether any part of a text between two beginnings of statements has many links."""
    if len(text) < MOST_BRACKETS:
        return False
    if text.count("\\") > _MOST_BACKSLASHES or text.count("elif") > MOST_LIGHT_LINKS or _DEEPLY_INDENTED.search(text):
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
    if len(part) > MOST_LINKS and brackets + sum(map(part.count, _LINKS)) > MOST_LINKS:
        return True
    return len(part) > 2 * MOST_LIGHT_LINKS


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
                        depth.link()
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
                    if branches[column] > MOST_LIGHT_LINKS:
                        raise TooDeep(f"has an `if` with more than {MOST_LIGHT_LINKS} branches", _row(text, position))
                continue
            case "quote":
                end = _end_of_string(text, position, match["quote"])
                if _is_formatted(text, match.start()):
                    _check_formatted(text[position:end], depth, _row(text, position))
                position = end
                depth.link(light=True)
            case "open":
                depth.open()
            case "close":
                depth.close()
            case "end":
                depth.end()
            case "lambda":
                depth.link()
                depth.levels[-1].lambdas += 1
            case "colon":
                depth.levels[-1].lambdas = max(0, depth.levels[-1].lambdas - 1)
            case "light" | "heavy":
                depth.link(light=kind == "light")
        if (depth.heavy > MOST_BRACKETS or depth.light > MOST_LIGHT_LINKS) and (excess := depth.excess):
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
    if sum(map(body.count, "([{")) + len(outer.levels) > MOST_BRACKETS or len(body) > MOST_LINKS:
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
                case "light" | "heavy" | "lambda" if inside:
                    depth.link(light=match.lastgroup == "light")
            if len(depth.levels) + len(outer.levels) > MOST_BRACKETS + 1 or depth.heavy + outer.heavy > MOST_LINKS or depth.excess:
                raise TooDeep("has a formatted string with expressions that are nested too deeply", row)


def _row(text: str, position: int) -> int:
    return text.count("\n", 0, position)
