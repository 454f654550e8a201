"""Edits of a notebook's program, written back into its JSON text: what is not edited stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from looplint.finding import Location
from looplint.regex import regex
from looplint.sources.magics import rows_of
from looplint.sources.notebook_json import NotebookError, RawCell, RawNotebook, scan
from looplint.sources.notebooks import ProgramCell, heading_mark, program_cells

# A character of a JSON string as it is written there; a pair of halves is one character.
_WRITTEN = regex(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)
_NON_ASCII_ESCAPE = regex(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
# Some editors write these as escapes too.
_HTML = "<>&'="
Encode = Callable[[str], str]


def rewrite(raw: bytes, text: str) -> bytes:
    """Write an edited program back into its notebook.

    Args:
        raw: the notebook.
        text: what `notebooks.combine(raw).text` became by the edits.

    Returns:
        The notebook with the edited lines of its sources changed, and nothing else.

    Raises:
        NotebookError: the edits go over the border of a cell, or change a row that is no Python (a magic); nothing can be written then.
    """
    notebook = scan(raw)
    encode = _encoder(notebook.text)
    parts: list[str] = []
    at = 0
    for cell, rows in _split(notebook, text):
        if rows != cell.rows:
            parts += [notebook.text[at : cell.raw.start], _source(notebook.text, cell, rows, encode)]
            at = cell.raw.end
    return "".join([*parts, notebook.text[at:]]).encode("utf-8")


def place_in_json(raw: bytes, number: int, place: Location) -> Location | None:
    """Where in a notebook's JSON text a place of a cell is written, or None where there is no such cell.

    What lies past the end of a row or of the cell is at that end: magics are longer as Python than as they are written.
    """
    try:
        notebook = scan(raw)
    except NotebookError:
        return None
    cell = next((c for c in notebook.cells if c.number == number), None)
    rows = rows_of("".join(cell.source)) if cell else []
    if cell is None:
        return None
    row = rows[place.row - 1] if place.row <= len(rows) else ""
    left = sum(map(len, rows[: place.row - 1])) + min(place.column - 1, len(row) - len(_end(row)))
    at = cell.start
    for (start, end), string in zip(_spans(cell), cell.source):
        if left < len(string):
            at = start + 1 + len("".join(_WRITTEN.findall(notebook.text, start + 1, end - 1)[:left]))
            break
        # The end of the last string is that of the cell.
        at = end - 1
        left -= len(string)
    return Location(notebook.text.count("\n", 0, at) + 1, at - notebook.text.rfind("\n", 0, at))


def _split(notebook: RawNotebook, text: str) -> Iterator[tuple[ProgramCell, list[str]]]:
    """Each cell with its rows in the edited text."""
    mark = heading_mark(notebook)
    before: list[str] = []
    found: list[list[str]] = []
    headings: list[str] = []
    for row in rows_of(text):
        if mark in row:
            found.append([])
            headings.append(row)
        else:
            (found[-1] if found else before).append(row)
    cells = list(program_cells(notebook))
    if headings != [c.heading for c in cells] or (before and not (cells and cells[0].heading.startswith("#"))):
        raise NotebookError("an edit goes over the border of a cell")
    if before:
        # What was put at the very top of the program belongs to the first cell.
        found[0][:0] = before
    yield from zip(cells, found)


def _source(text: str, cell: ProgramCell, new: list[str], encode: Encode) -> str:
    """The JSON value of an edited source."""
    original = rows_of("".join(cell.raw.source))
    rows = _with_line_ends(original, _aligned(original, cell.rows, new))
    written = _written(text, cell.raw, original)
    kept = [index for _, index in rows]
    inner = [encode(row) if index is None else _rewritten(row, original[index], written[index], encode) for row, index in rows]
    if cell.raw.items is None:
        return f'"{"".join(inner)}"'
    strings = [f'"{row}"' for row in inner]
    items = cell.raw.items if list(cell.raw.source) == original else None
    return _list(text, cell.raw, strings, kept, items)


def _aligned(original: list[str], old: list[str], new: list[str]) -> list[tuple[str, int | None]]:
    """The new rows as the notebook holds them, each with the original row that it is, or None."""
    from difflib import SequenceMatcher

    found: list[tuple[str, int | None]] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [(original[n], n) for n in range(start, end)]
            continue
        if any(old[n].rstrip("\r\n") != original[n].rstrip("\r\n") for n in range(start, end)):
            raise NotebookError("an edit would change a row that is no Python")
        found += [(row, None) for row in new[new_start:new_end]]
    return found


def _with_line_ends(original: list[str], rows: list[tuple[str, int | None]]) -> list[tuple[str, int | None]]:
    """Line ends as the cell has them: of its own kind, and none after the last row where there was none."""
    style = next((end for row in original if (end := _end(row))), "\n")
    open_end = bool(original) and not _end(original[-1])
    found: list[tuple[str, int | None]] = []
    for number, (row, index) in enumerate(rows):
        end = _end(row)
        body = row[: len(row) - len(end)]
        if number == len(rows) - 1 and open_end:
            end = ""
        elif index is None or not end:
            end = style
        found.append((body + end, index))
    return found


def _end(row: str) -> str:
    return row[len(row.rstrip("\r\n")) :]


def _rewritten(row: str, original: str, written: list[str], encode: Encode) -> str:
    """A row that stays, with its line end, which may change when rows after it come or go."""
    if row == original:
        return "".join(written)
    end = _end(row)
    return "".join(written[: len(row) - len(end)]) + encode(end)


def _written(text: str, cell: RawCell, rows: list[str]) -> list[list[str]]:
    """How each character of each row of a source is written in the JSON text."""
    characters = [c for start, end in _spans(cell) for c in _WRITTEN.findall(text, start + 1, end - 1)]
    found, at = [], 0
    for row in rows:
        found.append(characters[at : at + len(row)])
        at += len(row)
    return found


def _spans(cell: RawCell) -> tuple[tuple[int, int], ...]:
    """The spans of the strings that a source consists of."""
    return ((cell.start, cell.end),) if cell.items is None else cell.items


def _list(text: str, cell: RawCell, strings: list[str], kept: list[int | None], items: tuple[tuple[int, int], ...] | None) -> str:
    """A list of strings with the white space of the original one."""
    assert cell.items
    opening = text[cell.start : cell.items[0][0]]
    closing = text[cell.items[-1][1] : cell.end]
    gaps = [text[left[1] : right[0]] for left, right in zip(cell.items, cell.items[1:])]
    usual = gaps[0] if gaps else "," + (opening[1:] or (" " if '": ' in text else ""))
    if not strings:
        return "[]"
    parts = [opening, strings[0]]
    for before, index, string in zip(kept, kept[1:], strings[1:]):
        neighbours = items is not None and before is not None and index == before + 1
        parts += [gaps[before] if neighbours and before is not None else usual, string]
    return "".join([*parts, closing])


def _encoder(text: str) -> Encode:
    """How this notebook writes characters: as they are, or escaped."""
    from json import dumps

    ascii_only = text.isascii() and _NON_ASCII_ESCAPE.search(text) is not None
    lowered = text.lower()
    escapes = {c: escape for c in _HTML if (escape := f"\\u{ord(c):04x}") in lowered}

    def encode(row: str) -> str:
        inner = dumps(row, ensure_ascii=ascii_only)[1:-1]
        for char, escape in escapes.items():
            inner = inner.replace(char, escape)
        return inner

    return encode
