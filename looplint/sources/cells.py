"""Findings of notebooks by cell and row of the cell, as people and editors count them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.dataclass import replace
from looplint.finding import Edit, Finding, Related
from looplint.sources.reading import Source


def in_cells(findings: Iterable[Finding], sources: Iterable[Source]) -> Iterator[Finding]:
    """Replace the rows of a notebook's combined program by cells and their rows; findings in other files stay as they are."""
    notebooks = {s.display: s for s in sources if s.cells}
    for finding in findings:
        yield _placed(finding, notebooks) if notebooks else finding


def _placed(finding: Finding, notebooks: dict[str, Source]) -> Finding:
    related = tuple(_related(r, notebooks) for r in finding.related)
    fix = replace(finding.fix, edits=tuple(_edit(e, notebooks) for e in finding.fix.edits)) if finding.fix else None
    source = notebooks.get(finding.filename)
    if source is None:
        return replace(finding, related=related, fix=fix)
    cell, start = source.place(finding.location)
    end_cell, end = source.place(finding.end_location)
    if end_cell != cell:
        # Up to the heading of the next cell is up to the end of this one.
        end = replace(end, row=finding.end_location.row - finding.location.row + start.row, column=1)
    noqa_row = source.place(replace(finding.location, row=finding.noqa_row))[1].row if finding.noqa_row else 0
    return replace(finding, location=start, end_location=end, cell=cell, noqa_row=noqa_row, related=related, fix=fix)


def _related(related: Related, notebooks: dict[str, Source]) -> Related:
    source = notebooks.get(related.filename)
    if source is None:
        return related
    cell, place = source.place(related.location)
    return replace(related, cell=cell, location=place)


def _edit(edit: Edit, notebooks: dict[str, Source]) -> Edit:
    source = notebooks.get(edit.filename)
    if source is None:
        return edit
    cell, start = source.place(edit.location)
    end_cell, end = source.place(edit.end_location)
    if end_cell != cell:
        # Up to the heading of the next cell is up to the end of this one.
        end = replace(end, row=edit.end_location.row - edit.location.row + start.row, column=1)
    return replace(edit, cell=cell, location=start, end_location=end)
