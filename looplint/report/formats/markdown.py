"""A table in Markdown, for a comment on a change or the summary of a job. In GitHub Actions the format `github` writes that summary too."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from urllib.parse import quote

from looplint.escaping import visible
from looplint.finding import SEVERITIES, Finding, Problem, written_place
from looplint.linting.files import LintResult
from looplint.regex import regex
from looplint.report.paths import below
from looplint.report.records import url_of

# Of the findings, and of what could not be linted.
_MOST_BYTES = 400_000
_MARKUP = regex(r"([\\`*_{}\[\]<>#|~&!])")


def render(result: LintResult, *, colour: bool = False) -> str:
    return _page(result, lambda finding: _text(finding.place))


def job_summary(result: LintResult) -> str:
    """The same for the page of a job: places lead to their lines, and it is no longer than GitHub takes (1 MiB for a step)."""
    return _page(result, _linked, _MOST_BYTES) + "\n"


def _page(result: LintResult, place: Callable[[Finding], str], most: int | None = None) -> str:
    """The count, a row for each finding in the order of their severities (in all at most so many bytes), and what was not linted or judged."""
    findings = sorted(result.findings, key=lambda f: SEVERITIES.index(f.severity))
    lines = [
        f"**looplint**: {len(findings)} finding{'s' if len(findings) != 1 else ''} in {result.checked} file{'s' if result.checked != 1 else ''}",
        "",
    ]
    if findings:
        rows = [_row(f, place(f)) for f in findings]
        named, left = _first(rows, most)
        lines += ["| place | severity | rule | finding |", "|---|---|---|---|", *named, "", *([f"and {left} more", ""] if left else [])]
    if result.problems:
        named, left = _first([_problem(problem) for problem in result.problems], most)
        lines += ["Not linted:", "", *named, *([f"- and {left} more"] if left else []), ""]
    judged, lost = len(result.coverage.judged), len(result.coverage.lost)
    if judged or lost:
        lines += [f"{judged} of {judged + lost} training loops were judged.", ""]
    return "\n".join(lines)


def _first(lines: Sequence[str], most: int | None) -> tuple[Sequence[str], int]:
    """The first of some lines, of at most so many bytes in all, and how many are left."""
    room = most or 0
    for number, line in enumerate(lines if most is not None else ()):
        room -= len(line.encode()) + 1
        if room < 0:
            return lines[:number], len(lines) - number
    return lines, 0


def _linked(finding: Finding) -> str:
    """A place that leads to its line as the job has it, where the environment says where that is."""
    file = below(finding.filename, "GITHUB_WORKSPACE")
    server, repository, commit = (os.environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "SHA"))
    shown = _text(written_place(file, finding.location, finding.cell))
    if not (server and repository and commit) or file.startswith(("/", "../", "<")):
        return shown
    anchor = "" if finding.cell else f"#L{finding.location.row}"
    return f"[{shown}]({server}/{repository}/blob/{commit}/{quote(os.fsencode(file))}{anchor})"


def _row(finding: Finding, place: str) -> str:
    rule = f"[{finding.code} {finding.name}]({url_of(finding)})"
    return f"| {place} | {finding.severity} | {rule} | {_text(finding.message)} |"


def _problem(problem: Problem) -> str:
    return f"- {_text(str(problem))}"


def _text(text: str) -> str:
    """Text in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", visible(text))
