"""reviewdog's diagnostic format (https://github.com/reviewdog/reviewdog/tree/master/proto/rdf), with which findings become comments of any review."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from looplint.escaping import json_text
from looplint.finding import Finding, Location, Problem, Severity
from looplint.linting.files import LintResult
from looplint.report.places import in_file
from looplint.report.records import url_of
from looplint.sources.regular import MOST_OF_NOTEBOOK, read_regular

_SEVERITIES: dict[Severity, str] = {"error": "ERROR", "warning": "WARNING", "advice": "INFO"}


def render(result: LintResult, *, colour: bool = False) -> str:
    # A process that reports more than once must not count in the lines of the time before.
    _lines.cache_clear()
    source = {"name": "looplint", "url": "https://github.com/looplint/looplint"}
    diagnostics = [*map(_diagnostic, result.findings), *map(_problem, result.problems)]
    return json_text({"source": source, "severity": "WARNING", "diagnostics": diagnostics}, indent=2) + "\n"


def _diagnostic(finding: Finding) -> dict[str, Any]:
    start, end = finding.location, finding.end_location
    diagnostic: dict[str, Any] = {
        "message": f"{finding.name}: {finding.message}",
        "location": _location(finding.filename, finding.cell, start, end),
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.code, "url": url_of(finding)},
        "related_locations": [{"message": r.message, "location": _location(r.filename, r.cell, r.location, None)} for r in finding.related],
    }
    # A suggestion is for one file; its ranges count as those of the finding.
    edits = finding.fix.edits if finding.fix is not None else ()
    if edits and finding.cell is None and all(edit.filename == finding.filename for edit in edits):
        diagnostic["suggestions"] = [
            {
                "range": {"start": _position(edit.filename, edit.location), "end": _position(edit.filename, edit.end_location)},
                "text": edit.content,
            }
            for edit in edits
        ]
    return diagnostic


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "message": problem.message,
        "location": _location(problem.filename, problem.cell, problem.location, None),
        "severity": "ERROR",
    }


def _location(filename: str, cell: int | None, start: Location | None, end: Location | None) -> dict[str, Any]:
    location: dict[str, Any] = {"path": filename}
    if start is not None:
        location["range"] = {"start": _position(filename, in_file(filename, start, cell))}
        if end is not None:
            location["range"]["end"] = _position(filename, in_file(filename, end, cell))
    return location


def _position(filename: str, place: Location) -> dict[str, int]:
    """A place as the format counts it: columns in bytes of UTF-8."""
    lines = _lines(filename)
    before = lines[place.row - 1][: place.column - 1] if 0 < place.row <= len(lines) else ""
    return {"line": place.row, "column": place.column + len(before.encode("utf-8", "surrogatepass")) - len(before)}


@lru_cache(maxsize=64)
def _lines(filename: str) -> list[str]:
    """The lines of a file itself, be it a notebook."""
    try:
        text = read_regular(Path(filename), MOST_OF_NOTEBOOK).decode("utf-8", "replace")
    except OSError:
        return []
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
