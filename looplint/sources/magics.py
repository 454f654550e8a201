"""IPython's own syntax in a cell, replaced by Python of as many lines, so that every row stays where it is."""

from __future__ import annotations

import re

from looplint.regex import regex
from looplint.sources.compiling import refused

# Cell magics whose body runs as Python in the notebook's own namespace.
_PYTHON_CELLS = frozenset(
    {"time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "debug", "wandb", "heat", "snakeviz", "notify", "python"}
)
# Cell languages that some hosts name with a single %, for the whole cell.
_OTHER_LANGUAGES = regex(r"%(?:sql|md|md-sandbox|scala|r|sh|fs|bash|html|javascript|latex|markdown)\b\s*$")
_CELL_MAGIC = regex(r"%%(\w[\w.-]*)")
_ESCAPE = regex(r"[%!?,;/]")
_TARGET = r"[A-Za-z_*][\w.]*(?:\[[^\]]*\])?"
# IPython runs a magic without its sign, too, where the row is no Python.
_AUTOMAGIC = regex(
    r"(?:pip3?|conda|mamba|micromamba|uv|cd|ls|ll|cat|cp|mv|rm|rmdir|mkdir|less|more|man|pwd|env|matplotlib|load_ext|reload_ext|autoreload|run|timeit|time|who|whos|history)\s+[\w\-./~\"'$]"
)
_ASSIGNED = regex(rf"((?:{_TARGET}\s*,\s*)*{_TARGET}\s*=\s*)[%!][^=]")
_HELP = regex(r"%{0,2}[A-Za-z_*][\w.*\[\]'\"]*\?{1,2}\s*$")
_TIMED = regex(r"%time\s+(?!-|for\b|while\b|with\b|if\b|try\b|def\b|class\b|async\b|[%!])(?=\S)")
_ROW = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# What decides whether the next row starts a statement: strings, comments, brackets and continued rows.
_TOKEN = regex(r'"""|\'\'\'|"(?:\\.|[^"\\\r\n])*"|\'(?:\\.|[^\'\\\r\n])*\'|#[^\r\n]*|[()\[\]{}]|\\(?:\r\n|\r|\n)', re.DOTALL)


def rows_of(text: str) -> list[str]:
    """The rows of a text as Python counts them, each with its line end."""
    return _ROW.findall(text)


def to_python(text: str) -> list[str]:
    """The rows of a cell with magics, shell lines and help requests replaced.

    A row that is Python is returned as it is; the others become `pass`, a comment or the call that IPython itself would make of them.
    """
    rows = rows_of(text)
    start = next((n for n, row in enumerate(rows) if row.strip()), len(rows))
    masked = list(rows)
    while start < len(rows) and (magic := _CELL_MAGIC.match(rows[start])):
        if magic[1] not in _PYTHON_CELLS:
            return [as_comment(row) for row in rows]
        masked[start] = as_comment(rows[start])
        start += 1
    if start < len(rows) and _OTHER_LANGUAGES.match(rows[start].rstrip()):
        return [as_comment(row) for row in rows]
    number = start
    depth, quote = 0, ""
    while number < len(rows):
        row = rows[number]
        if not depth and not quote:
            replaced = _statement(row)
            if replaced is not None:
                masked[number] = replaced
                while _continues(rows[number]) and number + 1 < len(rows):
                    number += 1
                    masked[number] = as_comment(rows[number])
                number += 1
                continue
        depth, quote = _after(row, depth, quote)
        number += 1
    return masked


def _statement(row: str) -> str | None:
    """What stands for a row that starts a statement, or None where it is Python."""
    body = row.lstrip(" \t")
    indent = row[: len(row) - len(body)]
    timed = _TIMED.match(body)
    if timed:
        # As long as what it replaces, so that columns stay too.
        return f"{indent}{'None'.ljust(timed.end() - 2)}; {body[timed.end() :]}"
    if _ESCAPE.match(body) or _HELP.match(body) or (_AUTOMAGIC.match(body) and refused(body) is not None):
        return f"{indent}pass{_end(row)}"
    assigned = _ASSIGNED.match(body)
    if assigned:
        return f"{indent}{assigned[1]}get_ipython(){_end(row)}"
    return None


def _after(row: str, depth: int, quote: str) -> tuple[int, str]:
    """How many brackets, and which triple-quoted string or continuation, are open after a row."""
    at = 0
    if quote == "\\":
        quote = ""
    while at < len(row):
        if quote:
            end = _closing(row, quote, at)
            if end < 0:
                return depth, quote
            at, quote = end, ""
            continue
        token = _TOKEN.search(row, at)
        if token is None:
            break
        found, at = token[0], token.end()
        if found in ('"""', "'''"):
            quote = found
        elif found[0] == "\\":
            quote = "\\"
            break
        elif found in "([{":
            depth += 1
        elif found in ")]}":
            depth = max(0, depth - 1)
    return depth, quote


def _closing(row: str, quote: str, at: int) -> int:
    while at < len(row):
        if row[at] == "\\":
            at += 2
        elif row.startswith(quote, at):
            return at + 3
        else:
            at += 1
    return -1


def _continues(row: str) -> bool:
    return row.rstrip("\r\n").endswith("\\")


def as_comment(row: str) -> str:
    """What stands for a row that is no Python."""
    return f"#{_end(row)}" if row.strip() else _end(row)


def _end(row: str) -> str:
    return row[len(row.rstrip("\r\n")) :]
