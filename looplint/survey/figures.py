"""The figures of a survey, counted from its datasets. Nothing in them names a person: no repository, file or message is."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.survey.datasets import Row, Store
from looplint.survey.reasons import general

UNKNOWN = "unknown"
_SLOWEST, _PAIRS, _REASONS = 10, 12, 10


@dataclass(frozen=True, slots=True)
class Reading:
    """How many findings of a rule somebody read when they were first reported, and how many of them hold."""

    read: int
    true: int


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """What was found by one rule: how often, in how many repositories, how severe, and how it can be repaired."""

    code: str
    name: str
    findings: int
    repositories: int
    severities: Mapping[str, int]
    repairs: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_year: Mapping[str, int]
    reading: Reading | None


@dataclass(frozen=True, slots=True)
class Group:
    """The repositories of a kind or of a year."""

    name: str
    repositories: int
    judged: int
    lost: int
    owned: int
    severities: Mapping[str, int]

    @property
    def understood(self) -> float | None:
        """The share of the loops that are the programs' own, and were judged."""
        return self.judged / (self.judged + self.lost) if self.judged + self.lost else None

    def per_thousand(self, findings: int) -> float | None:
        """Findings for each thousand loops that were judged."""
        return 1000 * findings / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class Slow:
    """A program that took long: its number in the dataset of files, and what is known of it that names nobody."""

    id: str
    kind: str
    lines: int
    loops: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a survey. `whole` counts every repository; kinds and years are in order."""

    whole: Group
    files: int
    programs: int
    lines: int
    seconds: float
    megabytes: int
    problems: int
    failed: Mapping[str, int]
    kinds: Sequence[Group]
    years: Sequence[Group]
    rules: Sequence[RuleFigures]
    pairs: Sequence[tuple[str, str, int]]
    lost: Sequence[tuple[str, int]]
    slowest: Sequence[Slow]
    versions: Sequence[str]
    settings: Sequence[str]


def read_readings(path: Path) -> dict[str, Reading]:
    """The first readings of each rule: a JSON list of objects with `code` and `verdict`, which is "true" or "false".

    Raises:
        UserError: it cannot be read, or is something else.
    """
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        verdicts = Counter((row["code"], row["verdict"]) for row in rows)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: is no list of readings, objects with a code and a verdict: {error}") from error
    codes = {code for code, _ in verdicts}
    return {code: Reading(verdicts[code, "true"] + verdicts[code, "false"], verdicts[code, "true"]) for code in codes}


def figures(folder: Path, readings: Mapping[str, Reading]) -> Figures:
    """Count what a survey has found.

    Raises:
        UserError: a file of it cannot be read.
    """
    store = Store(folder)
    known = store.known()
    done = {name: row for name, row in known.items() if row["state"] == "done"}
    kind = {name: row["kind"] or UNKNOWN for name, row in done.items()}
    year = {name: str(row["year"] or UNKNOWN) for name, row in done.items()}
    findings, files = _standing(store.rows("findings"), done), _standing(store.rows("files"), done)
    loops = _standing(store.rows("loops", ["repository", "key", "state", "reason"]), done)
    lost = [row for row in loops if row["state"] == "lost"]
    return Figures(
        whole=_group("all", done.values(), findings),
        files=_sum(done.values(), "files"),
        programs=_sum(done.values(), "programs"),
        lines=_sum(done.values(), "lines"),
        seconds=sum(row["seconds"] for row in done.values()),
        megabytes=max((row["megabytes"] for row in done.values()), default=0),
        problems=_sum(done.values(), "problems"),
        failed=Counter(general(row["reason"]) for row in known.values() if row["state"] != "done"),
        kinds=_groups(done, findings, kind.__getitem__),
        years=_groups(done, findings, year.__getitem__),
        rules=_rules(findings, kind, year, readings),
        pairs=_pairs(findings),
        lost=Counter(general(row["reason"]) for row in lost).most_common(_REASONS),
        slowest=_slowest(files, kind),
        versions=sorted({row["looplint"] for row in done.values()}),
        settings=sorted({row["settings"] for row in done.values()}),
    )


def _standing(rows: Iterable[Row], done: Mapping[str, Row]) -> list[Row]:
    """The rows that belong to what stands in `repositories`: a survey that was stopped may have written others of a repository before its own."""
    return [row for row in rows if row["repository"] in done and row["key"] == done[row["repository"]]["key"]]


def _sum(rows: Iterable[Row], column: str) -> int:
    return sum(int(row[column] or 0) for row in rows)


def _group(name: str, rows: Iterable[Row], findings: Iterable[Row]) -> Group:
    rows = list(rows)
    severities = Counter(finding["severity"] for finding in findings)
    return Group(name, len(rows), _sum(rows, "judged"), _sum(rows, "lost"), _sum(rows, "owned"), severities)


def _groups(done: Mapping[str, Row], findings: Sequence[Row], of: Callable[[str], str]) -> list[Group]:
    """The repositories in groups, those of which nothing is known last."""
    names: dict[str, list[str]] = defaultdict(list)
    for repository in done:
        names[of(repository)].append(repository)
    found: dict[str, list[Row]] = defaultdict(list)
    for finding in findings:
        found[of(finding["repository"])].append(finding)
    return [_group(name, (done[each] for each in names[name]), found[name]) for name in sorted(names, key=lambda n: (n == UNKNOWN, n))]


def _rules(findings: Sequence[Row], kind: Mapping[str, str], year: Mapping[str, str], readings: Mapping[str, Reading]) -> list[RuleFigures]:
    by_code: dict[str, list[Row]] = defaultdict(list)
    for finding in findings:
        by_code[finding["code"]].append(finding)
    rules = [
        RuleFigures(
            code=code,
            name=rows[0]["rule"],
            findings=len(rows),
            repositories=len({row["repository"] for row in rows}),
            severities=Counter(row["severity"] for row in rows),
            repairs=Counter(row["repair"] or "none" for row in rows),
            by_kind=Counter(kind[row["repository"]] for row in rows),
            by_year=Counter(year[row["repository"]] for row in rows),
            reading=readings.get(code),
        )
        for code, rows in by_code.items()
    ]
    return sorted(rules, key=lambda rule: (-rule.findings, rule.code))


def _pairs(findings: Sequence[Row]) -> list[tuple[str, str, int]]:
    """Which rules report the same file, and in how many files they do."""
    codes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for finding in findings:
        codes[finding["repository"], finding["file"]].add(finding["code"])
    counts = Counter(pair for found in codes.values() for pair in combinations(sorted(found), 2))
    return [(*pair, count) for pair, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_PAIRS]]


def _slowest(files: Sequence[Row], kind: Mapping[str, str]) -> list[Slow]:
    slowest = sorted(files, key=lambda row: (-row["seconds"], row["id"]))[:_SLOWEST]
    return [Slow(row["id"], kind[row["repository"]], row["lines"], row["loops"], row["seconds"]) for row in slowest]
