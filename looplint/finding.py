"""What a rule says about a program: plain values that cross processes and know nothing of the analysis."""

from __future__ import annotations

from typing import Literal

from looplint.dataclass import dataclass, replace

Applicability = Literal["safe", "unsafe", "display-only"]
Certainty = Literal["every-path", "some-path"]
# What a problem does to a run: it learns wrong, crashes or reports wrong numbers; it wastes something, or is one step away from an error; nothing today.
Severity = Literal["error", "warning", "advice"]
# How each is coloured in a terminal.
COLOURS: dict[Severity, str] = {"error": "red", "warning": "yellow", "advice": "cyan"}
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "advice")


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file: 1-based row, 1-based column in characters (as ruff counts them)."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that takes part in a finding, and what happened there."""

    message: str
    filename: str
    location: Location
    cell: int | None = None
    # The same mistake is made there: a comment there silences the finding too.
    same: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call on the way to a finding: its file, and its first and last row there."""

    filename: str
    row: int
    end_row: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text between two places of one file by `content` (an insertion where they are equal)."""

    filename: str
    location: Location
    end_location: Location
    content: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair: a sentence for people, how far it can be trusted, and its edits."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One report of one rule at one place.

    In a notebook `cell` is the 1-based number of the cell, and the rows are counted in that cell.
    """

    code: str
    name: str
    message: str
    filename: str
    location: Location
    end_location: Location
    certainty: Certainty = "every-path"
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    # Why there is no fix although the rule has one.
    unrepaired: str = ""
    noqa_row: int = 0
    # The files and functions nobody calls, from each of which the place was reached so; a caller elsewhere knows better. "" is what a file itself runs.
    roots: tuple[str, ...] = ("",)
    severity: Severity = "error"
    cell: int | None = None
    # Its rule was selected by its own code or name.
    selected_by_name: bool = False
    # The ways to the place on which it holds: for each, the calls that lead there.
    ways: tuple[tuple[Call, ...], ...] = ()
    # It holds only where gradients are recorded.
    of_graphs: bool = False
    # It stands in a function that nothing in its project uses.
    unused: bool = False

    def with_fix(self, fix: Fix | None) -> Finding:
        return replace(self, fix=fix)

    @property
    def files(self) -> tuple[str, ...]:
        """The files in which the mistake is made: its own first."""
        return tuple(dict.fromkeys((self.filename, *(r.filename for r in self.related if r.same))))

    @property
    def places(self) -> frozenset[tuple[str, Location]]:
        """Where the mistake is made."""
        return frozenset({(self.filename, self.location), *((r.filename, r.location) for r in self.related if r.same)})

    @property
    def place(self) -> str:
        """Where it is, as every report writes it: file:row:column, or file:cell 3:row:column."""
        return written_place(self.filename, self.location, self.cell)

    @property
    def sort_key(self) -> tuple[str, int, Location, str]:
        return (self.filename, self.cell or 0, self.location, self.code)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that kept a file from being linted: where, and what to do about it."""

    filename: str
    message: str
    location: Location | None = None
    cell: int | None = None
    # The file is there, but is not what looplint reads: no Python, no text, no notebook.
    unreadable: bool = False

    def __str__(self) -> str:
        place = written_place(self.filename, self.location, self.cell) if self.location else self.filename
        return f"{place}: {self.message}"


def reaches(severity: Severity, least: Severity) -> bool:
    """Whether a severity is as high as another, or higher."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(least)


def written_place(filename: str, location: Location, cell: int | None = None) -> str:
    """A place as ruff writes it."""
    return f"{filename}:{f'cell {cell}:' if cell is not None else ''}{location.row}:{location.column}"
