"""The same objects as in `json`, one per line, for readers that do not want to wait for the end."""

from __future__ import annotations

import json

from looplint.linting.files import LintResult
from looplint.report.formats.json import as_dict


def render(result: LintResult, *, colour: bool = False) -> str:
    return "".join(json.dumps(as_dict(f), ensure_ascii=False) + "\n" for f in result.findings)
