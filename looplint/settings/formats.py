"""The output formats, and the module of `looplint.report` that makes each."""

from __future__ import annotations

FORMATS = {
    "text": "text",
    "concise": "concise",
    "json": "json",
    "json-lines": "json_lines",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
}
