"""How many findings each rule has, in the way ruff prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from looplint.dataclass import dataclass
from looplint.finding import SEVERITIES, Finding, Severity
from looplint.linting.coverage import Coverage, FoundLoop
from looplint.linting.files import LintResult


@dataclass(frozen=True, slots=True)
class Count:
    """One rule's share of a result."""

    code: str
    name: str
    count: int
    fixable: int
    # How many findings there are of each severity that occurs, the highest first.
    severities: tuple[tuple[Severity, int], ...] = ()

    @property
    def mark(self) -> str:
        """Whether --fix repairs all of them, some of them, or none."""
        return "[*]" if self.fixable == self.count else "[-]" if self.fixable else "[ ]"


def counts(findings: Sequence[Finding]) -> list[Count]:
    """A count per rule, the most frequent first, equal ones by their codes."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    found = [
        Count(code, group[0].name, len(group), sum(map(_repairable, group)), tuple(_severities(group))) for code, group in by_code.items()
    ]
    return sorted(found, key=lambda c: (-c.count, c.code))


def _severities(findings: Sequence[Finding]) -> Iterator[tuple[Severity, int]]:
    for severity in SEVERITIES:
        if number := sum(f.severity == severity for f in findings):
            yield severity, number


def _repairable(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability == "safe"


def render(name: str, result: LintResult, *, colour: bool = False) -> str:
    """The counts as JSON, or as text with the closing line of the text report."""
    return _json(result) if name == "json" else _text(result, colour=colour)


def _text(result: LintResult, *, colour: bool) -> str:
    from looplint.report.formats.text import closing, style_of

    style, found = style_of(colour), counts(result.findings)
    number = max((len(str(c.count)) for c in found), default=0)
    code = max((len(c.code) for c in found), default=0)
    severities = ["/".join(severity for severity, _ in c.severities) for c in found]
    severity = max(map(len, severities), default=0)
    marks = any(c.fixable for c in found)
    lines = []
    for c, levels in zip(found, severities):
        mark = f"{c.mark} " if marks else ""
        lines.append(
            f"{style(str(c.count).rjust(number), bold=True)}\t{style(c.code.ljust(code), fg='red', bold=True)}\t{levels.ljust(severity)}\t{mark}{c.name}\n"
        )
    return "".join([*lines, closing(result, style, most=None)])


def _json(result: LintResult) -> str:
    from json import dumps

    entries: list[dict[str, object]] = [
        {
            "code": c.code,
            "name": c.name,
            "count": c.count,
            "severities": dict(c.severities),
            "fixable": c.fixable == c.count,
            "fixable_count": c.fixable,
        }
        for c in counts(result.findings)
    ]
    if result.coverage.loops:
        entries.append(_coverage(result.coverage))
    return dumps(entries, indent=2) + "\n"


def _coverage(coverage: Coverage) -> dict[str, object]:
    """The loops that were judged in each file, and those that were not, each with the reason."""
    judged = Counter(loop.filename for loop in coverage.judged)
    return {
        "code": None,
        "name": "coverage",
        "count": len(coverage.lost),
        "judged": dict(judged),
        "owned": [{"filename": loop.filename, "owner": loop.owner} for loop in coverage.owned],
        "lost": [_loop(loop) for loop in coverage.lost],
    }


def _loop(loop: FoundLoop) -> dict[str, object]:
    place = {"row": loop.location.row, "column": loop.location.column} if loop.location else None
    return {"filename": loop.filename, "cell": loop.cell, "location": place, "reason": loop.reason}
