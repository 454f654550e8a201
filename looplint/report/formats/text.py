"""The report people read: the source lines, what happened where, advice in a line for each rule, and a closing count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from looplint.finding import SEVERITIES, Finding, Location, Severity
from looplint.linting.files import LintResult
from looplint.sources.reading import lines_of

Style = Callable[..., str]
_COLOURS = {"error": "red", "warning": "yellow", "advice": "cyan"}
_ADVICE_OPTIONS = "`--exit-on advice` shows each place, `--min-severity warning` leaves it out"
# So many places are named where a line stands for several.
_PLACES = 3


def render(result: LintResult, *, colour: bool = False) -> str:
    # A process that reports more than once must not show the lines of the time before.
    _lines.cache_clear()
    style = style_of(colour)
    advice = result.advice
    told = set(advice)
    blocks = [_finding(f, style) for f in result.findings if f not in told]
    if advice:
        blocks.append("".join(_advice(group, style) for group in _by_rule(advice)))
    return "\n".join([*blocks, closing(result, style)])


def style_of(colour: bool) -> Style:
    if not colour:
        return lambda text, **_: text
    from click import style

    return style


def _finding(finding: Finding, style: Style) -> str:
    fg = _COLOURS[finding.severity]
    level = style(f"{finding.severity}:", fg=fg, bold=True)
    head = f"{style(finding.place, bold=True)}: {level} {style(finding.code, fg=fg, bold=True)} {style(finding.name, fg=fg)}"
    rows: list[tuple[str, int | None, Location, Location | None, str, bool]] = []
    rows.append((finding.filename, finding.cell, finding.location, finding.end_location, finding.message, True))
    rows += [(r.filename, r.cell, r.location, None, r.message, False) for r in finding.related]
    rows.sort(key=lambda row: (row[0] != finding.filename, row[0], row[1] or 0, row[2]))
    width = max(len(str(row[2].row)) for row in rows)
    lines = [head, f"  {finding.message}", f"{' ' * width} {style('|', fg='blue')}"]
    before = (finding.filename, finding.cell) if rows[0][1] == finding.cell else ("", None)
    for filename, cell, start, end, message, primary in rows:
        if (filename, cell) != before:
            lines.append(f"{' ' * width} {style(':::', fg='blue')} {filename}{f':cell {cell}' if cell else ''}")
            before = (filename, cell)
        text = _line(filename, cell, start.row)
        lines.append(f"{style(str(start.row).rjust(width), fg='blue')} {style('|', fg='blue')} {text}")
        mark = ("^" if primary else "-") * _length(text, start, end)
        label = "here" if primary else message
        lines.append(
            f"{' ' * width} {style('|', fg='blue')} {' ' * (start.column - 1)}{style(mark, fg=fg if primary else 'blue', bold=True)} "
            f"{style(label, fg=fg if primary else 'blue')}"
        )
    if finding.fix is not None:
        lines.append(
            f"{' ' * width} {style('=', fg='blue')} {style('repair', bold=True)} ({finding.fix.applicability}): {finding.fix.message}"
        )
    if finding.unrepaired:
        lines.append(f"{' ' * width} {style('=', fg='blue')} not repaired: {finding.unrepaired}")
    return "\n".join(lines) + "\n"


def _by_rule(findings: Sequence[Finding]) -> Iterable[Sequence[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append(finding)
    return (groups[code] for code in sorted(groups))


def _advice(findings: Sequence[Finding], style: Style) -> str:
    """The findings of one rule in one line: where the first ones are, and what is said of the first."""
    first, fg = findings[0], _COLOURS["advice"]
    places = first.place
    if len(findings) > 1:
        named = [*(f.place for f in findings[:_PLACES]), *(["..."] if len(findings) > _PLACES else [])]
        places = f"{len(findings)} places ({', '.join(named)})"
    return f"{style('advice:', fg=fg, bold=True)} {style(first.code, fg=fg, bold=True)} {style(first.name, fg=fg)}: {places}: {first.message}\n"


def _length(text: str, start: Location, end: Location | None) -> int:
    if end is not None and end.row == start.row:
        return max(1, end.column - start.column)
    return max(1, len(text.rstrip()) - start.column + 1)


_lines = lru_cache(maxsize=64)(lines_of)


def _line(filename: str, cell: int | None, row: int) -> str:
    lines = _lines(filename, cell)
    return lines[row - 1].replace("\t", " ") if 0 < row <= len(lines) else ""


def closing(result: LintResult, style: Style, most: int | None = 3) -> str:
    """The count of findings, remarks on the run, and which loops were judged; `most` of those that were not are named, all where it is None."""
    return "".join([_count(result, style), *(f"{remark}\n" for remark in result.remarks), result.coverage.told(most)])


def _count(result: LintResult, style: Style) -> str:
    checked = f"{result.checked} file{'s' if result.checked != 1 else ''} checked"
    advice = result.advice
    fixable = sum(f.fix is not None and f.fix.applicability == "safe" for f in result.findings)
    unsafe = sum(f.fix is not None and f.fix.applicability == "unsafe" for f in result.findings)
    repair = f" {fixable} can be repaired with --fix." if fixable else ""
    repair += f" {unsafe}{' more' if fixable else ''} can be repaired with --fix --unsafe-fixes." if unsafe else ""
    if len(advice) < len(result.findings):
        told = set(advice)
        problems = [f for f in result.findings if f not in told]
        files = len({f.filename for f in problems})
        said = f"Found {_numbers(problems)} in {files} file{'s' if files != 1 else ''} ({checked}).{repair}\n"
    elif result.problems:
        said = f"No findings ({checked}).\n"
    else:
        said = style(f"No problems found ({checked}).", fg="green") + f"{repair}\n"
    if advice:
        said += f"Advice fails no run: {_ADVICE_OPTIONS}.\n"
    return said


def _numbers(findings: Sequence[Finding]) -> str:
    """How many there are of each severity: "2 errors and 1 warning"."""
    counted = [(severity, sum(f.severity == severity for f in findings)) for severity in SEVERITIES]
    *others, last = [_number(severity, count) for severity, count in counted if count]
    return f"{', '.join(others)} and {last}" if others else last


def _number(severity: Severity, count: int) -> str:
    if severity == "advice":
        return f"{count} piece{'s' if count != 1 else ''} of advice"
    return f"{count} {severity}{'s' if count != 1 else ''}"
