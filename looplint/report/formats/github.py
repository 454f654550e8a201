"""Workflow commands, which GitHub Actions shows as annotations at the lines of a change."""

from __future__ import annotations

from looplint.escaping import shown, visible
from looplint.finding import Finding, Location, Problem, written_place
from looplint.linting.coverage import FoundLoop
from looplint.linting.files import LintResult
from looplint.report.paths import below
from looplint.report.places import in_file

_COMMANDS = {"error": "error", "warning": "warning", "advice": "notice"}
_WORKSPACE = "GITHUB_WORKSPACE"


def render(result: LintResult, *, colour: bool = False) -> str:
    return "".join([*map(_finding, result.findings), *map(_problem, result.problems), *map(_not_followed, result.coverage.lost)])


def _finding(finding: Finding) -> str:
    file = below(finding.filename, _WORKSPACE)
    where = written_place(file, finding.location, finding.cell)
    lines = [f"{visible(where)}: {finding.code} {finding.name}: {shown(finding.message)}"]
    for related in finding.related:
        cell = f"cell {related.cell}:" if related.cell else ""
        lines.append(f"{visible(below(related.filename, _WORKSPACE))}:{cell}{related.location.row}: {shown(related.message)}")
    if finding.fix is not None:
        lines.append(f"repair ({finding.fix.applicability}): {finding.fix.message}")
    start, end = (in_file(finding.filename, place, finding.cell) for place in (finding.location, finding.end_location))
    return _command(_COMMANDS[finding.severity], f"looplint ({finding.code})", file, start, end, "\n".join(lines))


def _problem(problem: Problem) -> str:
    return _command("error", "looplint", below(problem.filename, _WORKSPACE), _place(problem), None, shown(str(problem)))


def _not_followed(loop: FoundLoop) -> str:
    place = in_file(loop.filename, loop.location, loop.cell) if loop.location else None
    message = f"{loop.place}: this training loop could not be followed: {loop.reason}"
    return _command("notice", "looplint", below(loop.filename, _WORKSPACE), place, None, visible(message))


def _place(problem: Problem) -> Location | None:
    return in_file(problem.filename, problem.location, problem.cell) if problem.location else None


def _command(name: str, title: str, file: str, start: Location | None, end: Location | None, message: str) -> str:
    properties = {"title": title, "file": file}
    if start is not None:
        properties["line"] = str(start.row)
        # The service takes columns only for an annotation of one line.
        if end is None or end.row == start.row:
            properties["col"] = str(start.column)
        if end is not None:
            properties["endLine"] = str(end.row)
            if end.row == start.row:
                properties["endColumn"] = str(end.column)
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {written}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
