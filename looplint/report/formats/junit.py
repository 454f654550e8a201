"""JUnit's XML, which nearly every CI server shows as test results: a suite per file, a case per finding.

A case has failed where the finding makes the run fail; else it was skipped, which servers show beside the message and count as no failure.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from xml.etree import ElementTree as ET

from looplint.escaping import shown, shown_place
from looplint.finding import Finding, Problem, written_place
from looplint.linting.files import LintResult
from looplint.regex import regex
from looplint.report.places import in_file

# XML 1.0 has no way to write these, not even escaped.
_UNWRITABLE = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(result: LintResult, *, colour: bool = False) -> str:
    root = ET.Element("testsuites", name="looplint")
    for filename, findings in groupby(result.findings, key=lambda f: f.filename):
        root.append(_suite(filename, (_case_of(finding, fails=result.fails(finding)) for finding in findings)))
    for filename, problems in groupby(sorted(result.problems, key=lambda p: p.filename), key=lambda p: p.filename):
        root.append(_suite(filename, map(_error, problems)))
    if not len(root):
        # Servers take a report without a single case for a run that broke off.
        root.append(_suite("looplint", [ET.Element("testcase", name=f"{result.checked} files checked", classname="looplint", time="0")]))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.attrib[key]) for suite in root)))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(filename: str, cases: Iterable[ET.Element]) -> ET.Element:
    suite = ET.Element("testsuite", name=_writable(filename))
    suite.extend(cases)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", str(len(suite.findall("testcase/error"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    return suite


def _case_of(finding: Finding, *, fails: bool) -> ET.Element:
    place = written_place("", finding.location, finding.cell).removeprefix(":")
    row = in_file(finding.filename, finding.location, finding.cell).row
    case = _case(finding.filename, f"{finding.code} {finding.name} at {place}", row)
    lines = [f"{finding.place}: {finding.severity}: {finding.message}"]
    lines += [f"{written_place(r.filename, r.location, r.cell)}: {r.message}" for r in finding.related]
    if finding.fix is not None:
        lines.append(f"repair ({finding.fix.applicability}): {finding.fix.message}")
    attributes = {"message": _writable(finding.message), "type": finding.code}
    ET.SubElement(case, "failure" if fails else "skipped", attributes).text = _body(lines)
    return case


def _error(problem: Problem) -> ET.Element:
    row = in_file(problem.filename, problem.location, problem.cell).row if problem.location else 0
    case = _case(problem.filename, "could be linted", row)
    ET.SubElement(case, "error", message=_writable(problem.message), type="problem").text = _body([str(problem)])
    return case


def _case(filename: str, name: str, row: int) -> ET.Element:
    attributes = {"name": name, "classname": filename, "file": filename, "line": str(row), "time": "0"}
    return ET.Element("testcase", {key: _writable(value) for key, value in attributes.items()})


def _body(lines: Iterable[str]) -> str:
    """The text of an element: logs show it as it is, so no line of it begins with what is a command there."""
    return _writable("\n".join(map(shown_place, lines)))


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", shown(text))
