"""A table in Markdown, for the summary of a job or a comment on a change: `looplint --output-format markdown >> "$GITHUB_STEP_SUMMARY"`."""

from __future__ import annotations

import re

from looplint.escaping import visible
from looplint.finding import SEVERITIES, Finding, Problem
from looplint.linting.files import LintResult
from looplint.report.formats.json import url_of

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def render(result: LintResult, *, colour: bool = False) -> str:
    findings = sorted(result.findings, key=lambda f: SEVERITIES.index(f.severity))
    lines = [
        f"**looplint**: {len(findings)} finding{'s' if len(findings) != 1 else ''} in {result.checked} file{'s' if result.checked != 1 else ''}",
        "",
    ]
    if findings:
        lines += ["| place | severity | rule | finding |", "|---|---|---|---|", *map(_row, findings), ""]
    if result.problems:
        lines += ["Not linted:", "", *map(_problem, result.problems), ""]
    judged, lost = len(result.coverage.judged), len(result.coverage.lost)
    if judged or lost:
        lines += [f"{judged} of {judged + lost} training loops were judged.", ""]
    return "\n".join(lines)


def _row(finding: Finding) -> str:
    rule = f"[{finding.code} {finding.name}]({url_of(finding)})"
    return f"| {_text(finding.place)} | {finding.severity} | {rule} | {_text(finding.message)} |"


def _problem(problem: Problem) -> str:
    return f"- {_text(str(problem))}"


def _text(text: str) -> str:
    """Text in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", visible(text))
