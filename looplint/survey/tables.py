"""The figures of a survey as tables, which a terminal and a page show alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from looplint.dataclass import dataclass
from looplint.finding import SEVERITIES
from looplint.survey.figures import Figures, Group, RuleFigures


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a sentence on how it is to be read; the first `words` columns are text, the others numbers."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1


def tables(figures: Figures) -> str:
    """All tables as Markdown."""
    parts = [summary(figures), *map(_markdown, all_tables(figures))]
    return "\n\n".join(parts) + "\n"


def summary(figures: Figures) -> str:
    """What was surveyed, in a few sentences."""
    whole = figures.whole
    failed = sum(figures.failed.values())
    lines = [
        f"{_count(whole.repositories, 'repository', 'repositories')} with {figures.files:,} files were linted"
        f"{f', {failed} could not be' if failed else ''}: {figures.programs:,} programs that could be about training, {figures.lines:,} lines.",
        f"Of {whole.judged + whole.lost:,} training loops {_percent(whole.understood)} were understood; libraries run {whole.owned:,} more.",
        f"{_findings(whole.severities)}: {number(whole.per_thousand(sum(whole.severities.values())))} findings for each 1,000 loops understood.",
        f"It took {figures.seconds:,.0f} s of processor time in the analysis, and at most {figures.megabytes} MB in a process.",
        f"looplint {', '.join(figures.versions) or '-'}; settings {', '.join(figures.settings) or '-'}.",
    ]
    return "\n".join(lines)


def all_tables(figures: Figures) -> list[Table]:
    """The tables of a report; those with nothing in them are left out."""
    found = [
        rules(figures),
        groups("By kind of repository", "kind", figures.kinds),
        groups("By year of the last commit", "year", figures.years),
        repairs(figures),
        Table(
            "What stands together",
            "Pairs of rules that report the same file.",
            ("rule", "and", "files"),
            [(one, other, f"{count:,}") for one, other, count in figures.pairs],
            words=2,
        ),
        Table(
            "Why loops were not understood",
            "Names and numbers are left out of the reasons.",
            ("reason", "loops"),
            [(reason, f"{count:,}") for reason, count in figures.lost],
        ),
        Table(
            "Slowest programs",
            "Processor time of the analysis. A program is named by its `id` in the dataset `files`.",
            ("program", "kind", "lines", "loops", "seconds"),
            [(slow.id, slow.kind, f"{slow.lines:,}", f"{slow.loops:,}", f"{slow.seconds:.1f}") for slow in figures.slowest],
            words=2,
        ),
        Table(
            "Repositories that could not be linted",
            "After all retries.",
            ("reason", "repositories"),
            [(reason, f"{count:,}") for reason, count in sorted(figures.failed.items())],
        ),
    ]
    return [table for table in found if table.rows]


def rules(figures: Figures) -> Table:
    """A row for each rule, with how many of its findings held when they were first read, where that is known."""
    read = any(rule.reading for rule in figures.rules)
    head = ("rule", "name", "severity", "findings", "repositories", "per 1,000 loops")
    rows = [
        (
            rule.code,
            rule.name,
            _severities(rule),
            f"{rule.findings:,}",
            f"{rule.repositories:,}",
            number(figures.whole.per_thousand(rule.findings)),
            *((_held(rule), _corrected(figures.whole, rule)) if read else ()),
        )
        for rule in figures.rules
    ]
    note = "Findings for each 1,000 loops that were understood."
    if read:
        note += " Held: of the findings that were read when first reported, those that are true; corrected is the figure times that share."
    return Table("By rule", note, (*head, *(("held when first read", "corrected") if read else ())), rows, words=3)


def groups(title: str, name: str, found: Sequence[Group]) -> Table:
    """A row for each kind or year."""
    rows = [
        (
            group.name,
            f"{group.repositories:,}",
            f"{group.judged + group.lost:,}",
            _percent(group.understood),
            *(number(group.per_thousand(group.severities.get(severity, 0))) for severity in SEVERITIES),
        )
        for group in found
    ]
    note = "Errors, warnings and advice are those for each 1,000 loops that were understood."
    return Table(title, note, (name, "repositories", "loops", "understood", "errors", "warnings", "advice"), rows)


def repairs(figures: Figures) -> Table:
    """How many findings come with a repair, by rule."""
    rows = [
        (
            rule.code,
            rule.name,
            f"{rule.findings:,}",
            *(f"{rule.repairs.get(kind, 0):,}" for kind in ("safe", "unsafe")),
            f"{rule.findings - rule.repairs.get('safe', 0) - rule.repairs.get('unsafe', 0):,}",
        )
        for rule in figures.rules
    ]
    if rows:
        rows.append(("all", "", *(f"{sum(int(row[column].replace(',', '')) for row in rows):,}" for column in range(2, 6))))
    return Table(
        "Repairs available",
        "`--fix` makes the safe ones, `--unsafe-fixes` the others.",
        ("rule", "name", "findings", "safe", "unsafe", "none"),
        rows,
        words=2,
    )


def _severities(rule: RuleFigures) -> str:
    return ", ".join(severity for severity in SEVERITIES if rule.severities.get(severity))


def _held(rule: RuleFigures) -> str:
    return f"{rule.reading.true} of {rule.reading.read}" if rule.reading else "not read"


def _corrected(whole: Group, rule: RuleFigures) -> str:
    if not rule.reading or not rule.reading.read:
        return "-"
    per = whole.per_thousand(rule.findings)
    return number(per * rule.reading.true / rule.reading.read if per is not None else None)


def _findings(severities: Mapping[str, int]) -> str:
    words = {"error": ("error", "errors"), "warning": ("warning", "warnings"), "advice": ("piece of advice", "pieces of advice")}
    return ", ".join(_count(severities.get(severity, 0), *words[severity]) for severity in SEVERITIES)


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _percent(share: float | None) -> str:
    return f"{100 * share:.1f} %" if share is not None else "-"


def number(value: float | None) -> str:
    """A figure with as many digits as are read."""
    return "-" if value is None else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def _markdown(table: Table) -> str:
    head = f"| {' | '.join(table.head)} |"
    rule = f"|{'---|' * table.words}{'---:|' * (len(table.head) - table.words)}"
    rows = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in table.rows]
    return "\n".join([f"## {table.title}", "", table.note, "", head, rule, *rows])
