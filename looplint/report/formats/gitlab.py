"""GitLab's code quality report, which its merge requests show beside the changed lines."""

from __future__ import annotations

import json
from typing import Any

from looplint.finding import Finding, Location
from looplint.linting.files import LintResult
from looplint.linting.fingerprint import Identity, identify
from looplint.report.paths import below
from looplint.report.places import in_file

_SEVERITIES = {"error": "major", "warning": "minor", "advice": "info"}


def render(result: LintResult, *, colour: bool = False) -> str:
    entries = [_entry(f, i) for f, i in zip(result.findings, identify(result.findings))]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


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


def _place(finding: Finding, location: Location) -> dict[str, int]:
    location = in_file(finding.filename, location, finding.cell)
    return {"line": location.row, "column": location.column}
