"""A finding as plain data in ruff's shape, and the address of its rule's page: what several formats and pages show."""

from __future__ import annotations

from typing import Any

from looplint.finding import Finding, Fix, Location

URL = "https://looplint.readthedocs.io/rules"


def as_dict(finding: Finding) -> dict[str, Any]:
    """One finding as plain data."""
    return {
        "cell": finding.cell,
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "filename": finding.filename,
        "location": _place(finding.location),
        "end_location": _place(finding.end_location),
        "fix": _fix(finding.fix),
        "url": url_of(finding),
        "noqa_row": finding.noqa_row or finding.location.row,
        "severity": finding.severity,
        "certainty": finding.certainty,
        "related": [
            {"message": r.message, "filename": r.filename, "cell": r.cell, "location": _place(r.location)} for r in finding.related
        ],
    }


def url_of(finding: Finding) -> str:
    """The address of the page of a finding's rule."""
    return f"{URL}/{finding.name}/"


def _place(location: Location) -> dict[str, int]:
    return {"row": location.row, "column": location.column}


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [
        {
            "filename": e.filename,
            "cell": e.cell,
            "location": _place(e.location),
            "end_location": _place(e.end_location),
            "content": e.content,
        }
        for e in fix.edits
    ]
    return {"message": fix.message, "applicability": fix.applicability, "edits": edits}
