"""Every fixture, linted: what is expected is found at its line, and nothing else is said anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixture_cases import EXPECT, RULES, cases, files, own_rule, parameters
from looplint.finding import Finding
from looplint.linting.files import analyse, merge
from looplint.sources.reading import read_source

# Where a line says how much a finding matters (`# expect: LL504 as advice`), it has to.
SEVERITY = re.compile(r"\b([A-Z]+[0-9]+) as (error|warning|advice)\b")
LONGEST = 270  # characters of a message
# A known gap is written where it is; the test fails when it is cured.
MISSED = re.compile(r"#\s*missed:\s*([A-Z]+[0-9]+)")
FALSE_ALARM = re.compile(r"#\s*false alarm:\s*([A-Z]+[0-9]+)")


def expected(case: Path) -> set[tuple[str, int, str]]:
    found = set()
    for file in files(case):
        for row, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            codes = {c.strip() for m in EXPECT.finditer(line) for c in m[1].split(",") if c.strip()}
            codes |= {m[1] for m in FALSE_ALARM.finditer(line)}
            codes -= {m[1] for m in MISSED.finditer(line)}
            found |= {(file.name, row, code) for code in codes}
    return found


def severities(case: Path) -> Iterator[tuple[tuple[str, int, str], str]]:
    """The severities that a case's comments give, by what is expected."""
    for file in files(case):
        for row, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            for code, severity in SEVERITY.findall(line.partition("# expect:")[2]):
                yield (file.name, row, code), severity


def reported(case: Path) -> dict[tuple[str, int, str], Finding]:
    """The findings of a case, by the default rules and its own; one of several files is linted as a user would, all of them together."""
    asked = [r for r in RULES if r.default or r.code == own_rule(case)]
    results = [analyse(read_source(f), asked) for f in files(case)]
    assert not [p for r in results for p in r.problems]
    return {(Path(f.filename).name, f.location.row, f.code): f for f in merge(results)}


@pytest.mark.parametrize("case", parameters(cases()))
def test_findings_are_those_expected(case: Path) -> None:
    found = reported(case)
    assert found.keys() == expected(case)
    assert dict(severities(case)) == {place: found[place].severity for place, _ in severities(case)}
    # What is so, why it matters and what to do, in one breath.
    assert all(re.fullmatch(r"[^;]+?: [^;]+; [^;]+", f.message) and len(f.message) <= LONGEST for f in found.values())
