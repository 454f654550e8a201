"""JSON in ruff's shape, with the related places and the certainty."""

from __future__ import annotations

from looplint.escaping import json_text
from looplint.linting.files import LintResult
from looplint.report.records import as_dict


def render(result: LintResult, *, colour: bool = False) -> str:
    return json_text([as_dict(f) for f in result.findings], indent=2) + "\n"
