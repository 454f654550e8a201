"""The same objects as in `json`, one per line, for readers that do not want to wait for the end."""

from __future__ import annotations

from looplint.escaping import json_text
from looplint.linting.files import LintResult
from looplint.report.records import as_dict


def render(result: LintResult, *, colour: bool = False) -> str:
    return "".join(json_text(as_dict(f)) + "\n" for f in result.findings)
