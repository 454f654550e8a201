"""Where a key or a value stands in a TOML text: its parser keeps no lines, and an error has to name one."""

from __future__ import annotations

from collections.abc import Sequence

from looplint.regex import regex

_PART = regex(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")


def line_of(text: str, keys: Sequence[str], value: str | None = None) -> int:
    """The line in which a key stands (of the table it is in, where it stands in an inline one), or a string of its value.

    Args:
        text: a TOML document that parses.
        keys: the path to the key from the document's top.
        value: a string in the key's value whose line is wanted, such as an item of a list over several lines.
    """
    lines = text.splitlines()
    row = 0
    for length in range(len(keys), 0, -1):
        row = _line(lines, tuple(keys[:length]))
        if row:
            break
    if row and value is not None:
        quoted = (f'"{value}"', f"'{value}'")
        row = next((n for n, line in enumerate(lines[row - 1 :], row) if any(q in line for q in quoted)), row)
    return row or 1


def _line(lines: Sequence[str], keys: tuple[str, ...]) -> int:
    header: tuple[str, ...] = ()
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith("["):
            found = _keys(stripped.strip("[").partition("]")[0])
            if not found:
                continue  # the first line of an array that stands by itself
            header = path = found
        else:
            dotted = _keys(stripped, until="=")
            if not dotted:
                continue
            path = (*header, *dotted)
        if path[: len(keys)] == keys:
            return number
    return 0


def _keys(text: str, until: str = "") -> tuple[str, ...]:
    """The parts of a dotted key, or nothing where the text is none."""
    parts: list[str] = []
    position = 0
    while match := _PART.match(text, position):
        parts.append(next(g for g in match.groups() if g is not None))
        position = match.end()
        if text[position : position + 1] == ".":
            position += 1
            continue
        rest = text[position : position + 1]
        return tuple(parts) if rest == until else ()
    return ()
