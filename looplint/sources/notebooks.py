"""Notebooks as one program: the code cells in order, and every row known by its cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from looplint.dataclass import dataclass
from looplint.finding import Location
from looplint.sources.compiling import refused, without_rows
from looplint.sources.magics import as_comment, to_python
from looplint.sources.notebook_json import RawCell, RawNotebook, scan

_PYTHON = frozenset({"python", "python2", "python3", "ipython", "sage", ""})
_MARK = "# %% cell"


@dataclass(frozen=True, slots=True)
class CellRows:
    """A code cell in the combined text: its number among all cells, the row its first line has there, and how many rows it has."""

    number: int
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class BrokenCell:
    """A cell that is no Python and was left out: its number, what is wrong, and where in it."""

    number: int
    message: str
    location: Location


@dataclass(frozen=True, slots=True)
class Combined:
    """The program of a notebook: its text, and where the cells stand in it. No cells, and no text, where its language is not Python."""

    text: str
    cells: tuple[CellRows, ...]
    broken: tuple[BrokenCell, ...] = ()


def combine(raw: bytes) -> Combined:
    """Read a notebook as one Python program.

    Before the lines of each code cell stands a row that names it; magics are replaced row by row, a cell that is no Python by comments.

    Raises:
        NotebookError: the bytes are no notebook.
    """
    notebook = scan(raw)
    parts: list[str] = []
    cells: list[CellRows] = []
    broken: list[BrokenCell] = []
    row = 1
    for cell in program_cells(notebook):
        parts.extend([cell.heading, *cell.rows])
        cells.append(CellRows(cell.raw.number, row + 1, len(cell.rows)))
        row += 1 + len(cell.rows)
        if cell.broken is not None:
            broken.append(cell.broken)
    return Combined("".join(parts), tuple(cells), tuple(broken))


@dataclass(frozen=True, slots=True)
class ProgramCell:
    """A code cell as the combined text holds it: the row that names it, and its own rows as Python."""

    raw: RawCell
    heading: str
    rows: list[str]
    broken: BrokenCell | None = None


def program_cells(notebook: RawNotebook) -> Iterator[ProgramCell]:
    """The code cells of a notebook as they stand in the combined text."""
    mark = heading_mark(notebook)
    for raw in _code(notebook):
        rows = _closed(to_python("".join(raw.source)))
        heading = _heading(mark, raw, rows)
        broken = _broken(raw.number, heading, rows)
        if broken is not None:
            rows, heading = [as_comment(row) for row in rows], f"{mark} {raw.number}\n"
        yield ProgramCell(raw, heading, rows, broken)


def _broken(number: int, heading: str, rows: list[str]) -> BrokenCell | None:
    refusal = refused("".join([heading, *rows]))
    if refusal is None:
        return None
    # Python counts the heading as a row of the cell.
    return BrokenCell(number, without_rows(refusal.message), Location(max(1, refusal.location.row - 1), refusal.location.column))


def locate(cells: tuple[CellRows, ...], row: int) -> tuple[int, int]:
    """The cell of a row of the combined text, and the row in it. A cell's heading counts as its first row."""
    index = max(0, bisect_right(cells, row, key=lambda c: c.first - 1) - 1)
    cell = cells[index]
    return cell.number, max(1, row - cell.first + 1)


def cell_texts(raw: bytes) -> list[str]:
    """What stands in each cell, of whatever kind."""
    return ["".join(cell.source) for cell in scan(raw).cells]


def _code(notebook: RawNotebook) -> Iterator[RawCell]:
    if _language(notebook).lower() not in _PYTHON:
        return
    for cell in notebook.cells:
        if cell.kind == "code" and "".join(cell.source).strip() and not _surrogates("".join(cell.source)):
            yield cell


def _language(notebook: RawNotebook) -> str:
    for section, key in (("kernelspec", "language"), ("language_info", "name")):
        found = notebook.metadata.get(section)
        language = found.get(key) if isinstance(found, dict) else None
        if isinstance(language, str) and language:
            return language
    return ""


def heading_mark(notebook: RawNotebook) -> str:
    """What begins a cell's heading: a text that no cell contains."""
    mark = _MARK
    while any(mark in "".join(cell.source) for cell in notebook.cells):
        mark += "%"
    return mark


def _heading(mark: str, cell: RawCell, rows: list[str]) -> str:
    """The row before a cell. IPython accepts a cell that is indented as a whole; Python wants something to indent it under."""
    first = next((row for row in rows if row.strip() and not row.lstrip().startswith("#")), "")
    return f"{'if True:  ' if first[:1] in (' ', chr(9)) else ''}{mark} {cell.number}\n"


def _closed(rows: list[str]) -> list[str]:
    if rows and not rows[-1].endswith(("\n", "\r")):
        return [*rows[:-1], rows[-1] + "\n"]
    return rows


def _surrogates(text: str) -> bool:
    """Half characters, which JSON can hold and no source file can."""
    return any("\ud800" <= char <= "\udfff" for char in text)
