"""GitLab's code quality report, which its merge requests show beside the changed lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from looplint.dataclass import replace
from looplint.escaping import json_text
from looplint.finding import Finding, Location, Problem
from looplint.linting.files import LintResult
from looplint.linting.fingerprint import Identity, identify
from looplint.report.paths import below
from looplint.report.places import in_file

_SEVERITIES = {"error": "major", "warning": "minor", "advice": "info"}
_NOT_LINTED = "not-linted"


def render(result: LintResult, *, colour: bool = False) -> str:
    entries = [_entry(f, i) for f, i in zip(result.findings, identify(result.findings))]
    seen: Counter[Identity] = Counter()
    for problem in result.problems:
        # Rows in a message move as its place does.
        identity = Identity(problem.filename, _NOT_LINTED, "", re.sub(r"\d+", "", problem.message))
        entries.append(_unread(problem, replace(identity, ordinal=seen[identity])))
        seen[identity] += 1
    return json_text(entries, indent=2) + "\n"


def _entry(finding: Finding, identity: Identity) -> dict[str, Any]:
    return {
        "check_name": finding.code,
        "description": f"{finding.name}: {finding.message}",
        "severity": _SEVERITIES[finding.severity],
        # The service tells old findings from new ones by this, so it must not depend on the row.
        "fingerprint": identity.digest(),
        "location": {
            "path": below(finding.filename, "CI_PROJECT_DIR"),
            "positions": {"begin": _place(finding, finding.location), "end": _place(finding, finding.end_location)},
        },
    }


def _unread(problem: Problem, identity: Identity) -> dict[str, Any]:
    """What kept a file from being linted: a merge request that breaks a file does not look as if it had cured it."""
    location = problem.location or Location(1, 1)
    place = in_file(problem.filename, location, problem.cell)
    at = {"line": place.row, "column": place.column}
    return {
        "check_name": _NOT_LINTED,
        "description": f"not linted: {problem.message}",
        "severity": "critical",
        "fingerprint": identity.digest(),
        "location": {"path": below(problem.filename, "CI_PROJECT_DIR"), "positions": {"begin": at, "end": at}},
    }


def _place(finding: Finding, location: Location) -> dict[str, int]:
    location = in_file(finding.filename, location, finding.cell)
    return {"line": location.row, "column": location.column}
