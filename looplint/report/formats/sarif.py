"""SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), which code scanning services and editors read."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from looplint import __version__
from looplint.escaping import json_text
from looplint.finding import Edit, Finding, Fix, Location, Problem, Related
from looplint.linting.catalogue import Rule, load
from looplint.linting.coverage import FoundLoop
from looplint.linting.files import LintResult
from looplint.linting.fingerprint import Identity, identify
from looplint.regex import regex
from looplint.report.places import in_file
from looplint.report.records import url_of
from looplint.settings.trust import project_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/looplint/looplint"
_BASE = "SRCROOT"
# "[text](target)" in a message is a link, "{0}" a placeholder (sections 3.11.5 and 3.11.6).
_LINK = regex(r"\[(?=[^\[\]]*\]\()")
_PLACEHOLDER = regex(r"\{(\d+)\}")
_LEVELS = {"error": "error", "warning": "warning", "advice": "note"}
Json = dict[str, Any]


def render(result: LintResult, *, colour: bool = False) -> str:
    codes = sorted({f.code for f in result.findings})
    numbers = {code: number for number, code in enumerate(codes)}
    driver = {"name": "looplint", "version": __version__, "semanticVersion": __version__, "informationUri": HOME, "rules": _rules(result)}
    run = {
        "tool": {"driver": driver},
        "originalUriBaseIds": {_BASE: {"uri": f"{_root(os.getcwd()).as_uri().rstrip('/')}/"}},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(result)],
        "results": [_result(f, i, numbers[f.code]) for f, i in zip(result.findings, identify(result.findings))],
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rules(result: LintResult) -> list[Json]:
    """The rules with findings, in the order of their codes."""
    first = {f.code: f for f in reversed(result.findings)}
    pages = {r.code: r for r in load()} if first else {}
    return [_rule(finding, pages.get(code)) for code, finding in sorted(first.items())]


def _rule(finding: Finding, page: Rule | None) -> Json:
    described = {
        "id": finding.code,
        "name": finding.name,
        "helpUri": url_of(finding),
        "defaultConfiguration": {"level": _LEVELS[page.severity if page else finding.severity], "enabled": page is None or page.default},
        "properties": {"tags": ["pytorch", "training-loop"], "problem.severity": finding.severity.replace("advice", "recommendation")},
    }
    if page is not None:
        title, _, body = page.doc.partition("\n")
        described["shortDescription"] = {"text": title}
        described["fullDescription"] = {"text": _section(body, "What it does") or title}
        described["help"] = {"text": page.doc, "markdown": f"# {page.name} ({page.code})\n\n{page.doc}\n"}
    return described


def _section(body: str, heading: str) -> str:
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", body, re.DOTALL | re.MULTILINE)
    return found[1].strip() if found else ""


def _result(finding: Finding, identity: Identity, index: int) -> Json:
    result: Json = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding.message)},
        "locations": [{"physicalLocation": _physical(finding.filename, finding.location, finding.end_location, finding.cell)}],
        "partialFingerprints": {"looplintIdentity/v1": identity.digest()},
        "properties": {"certainty": finding.certainty},
    }
    if identity.function:
        result["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": identity.function}]
    if finding.related:
        result["relatedLocations"] = [_related(r, number) for number, r in enumerate(finding.related, 1)]
    # A repair in a notebook is one of its program, not of the JSON text that readers of this format would replace.
    if finding.fix is not None and finding.fix.edits and finding.cell is None:
        result["fixes"] = [_fix(finding.fix)]
    return result


def _related(related: Related, number: int) -> Json:
    place = _physical(related.filename, related.location, None, related.cell)
    return {"id": number, "message": {"text": _message(related.message)}, "physicalLocation": place}


def _fix(fix: Fix) -> Json:
    changes: dict[str, list[Json]] = {}
    for edit in fix.edits:
        changes.setdefault(edit.filename, []).append(_replacement(edit))
    return {
        "description": {"text": _message(fix.message)},
        "artifactChanges": [{"artifactLocation": _artifact(name), "replacements": each} for name, each in changes.items()],
        "properties": {"applicability": fix.applicability},
    }


def _replacement(edit: Edit) -> Json:
    replacement: Json = {"deletedRegion": _region(edit.location, edit.end_location)}
    if edit.content:
        replacement["insertedContent"] = {"text": edit.content}
    return replacement


def _invocation(result: LintResult) -> Json:
    invocation: Json = {"executionSuccessful": not result.problems}
    notifications = [*map(_notification, result.problems), *map(_not_followed, result.coverage.lost)]
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    if result.coverage.loops:
        invocation["properties"] = {"judgedLoops": len(result.coverage.judged), "lostLoops": len(result.coverage.lost)}
    return invocation


def _not_followed(loop: FoundLoop) -> Json:
    place = _physical(loop.filename, loop.location, None, loop.cell)
    return {
        "level": "note",
        "message": {"text": _message(f"this training loop could not be followed: {loop.reason}")},
        "locations": [{"physicalLocation": place}],
    }


def _notification(problem: Problem) -> Json:
    place = _physical(problem.filename, problem.location, None, problem.cell)
    return {"level": "error", "message": {"text": _message(problem.message)}, "locations": [{"physicalLocation": place}]}


def _physical(filename: str, start: Location | None, end: Location | None, cell: int | None = None) -> Json:
    place: Json = {"artifactLocation": _artifact(filename)}
    if start is not None:
        place["region"] = _region(in_file(filename, start, cell), in_file(filename, end, cell) if end else None)
    return place


def _artifact(filename: str) -> Json:
    """A file below the project, as services know it wherever in the project the run was; one elsewhere by its whole path."""
    if filename.startswith("<"):
        return {"uri": quote(filename), "uriBaseId": _BASE}
    path, root = Path(os.path.abspath(filename)), _root(os.getcwd())
    if root not in path.parents:
        return {"uri": path.as_uri()}
    # Names are bytes; those that are no UTF-8 can be addressed too.
    return {"uri": quote(os.fsencode(path.relative_to(root).as_posix())), "uriBaseId": _BASE}


@lru_cache(maxsize=1)
def _root(current: str) -> Path:
    """The folder that names are relative to, for a run in the current folder: its project's."""
    return project_of(Path(current))


def _region(start: Location, end: Location | None) -> Json:
    region = {"startLine": start.row, "startColumn": start.column}
    if end is not None:
        region |= {"endLine": end.row, "endColumn": end.column}
    return region


def _message(text: str) -> str:
    """Text that a reader shows as it is."""
    return _PLACEHOLDER.sub(r"{{\1}}", _LINK.sub(r"\\[", text))
