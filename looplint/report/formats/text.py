"""The report people read: the source lines, what happened where, and a closing count."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from looplint.finding import Finding, Location
from looplint.linting.files import LintResult
from looplint.sources.reading import lines_of

Style = Callable[..., str]


def render(result: LintResult, *, colour: bool = False) -> str:
    # A process that reports more than once must not show the lines of the time before.
    _lines.cache_clear()
    style = style_of(colour)
    blocks = [_finding(f, style) for f in result.findings]
    return "\n".join([*blocks, closing(result, style)])


def style_of(colour: bool) -> Style:
    if not colour:
        return lambda text, **_: text
    from click import style

    return style


def _finding(finding: Finding, style: Style) -> str:
    head = f"{style(finding.place, bold=True)}: {style(finding.code, fg='red', bold=True)} {style(finding.name, fg='red')}"
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
            f"{' ' * width} {style('|', fg='blue')} {' ' * (start.column - 1)}{style(mark, fg='red' if primary else 'blue', bold=True)} "
            f"{style(label, fg='red' if primary else 'blue')}"
        )
    if finding.fix is not None:
        lines.append(
            f"{' ' * width} {style('=', fg='blue')} {style('repair', bold=True)} ({finding.fix.applicability}): {finding.fix.message}"
        )
    if finding.unrepaired:
        lines.append(f"{' ' * width} {style('=', fg='blue')} not repaired: {finding.unrepaired}")
    return "\n".join(lines) + "\n"


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
    if not result.findings:
        return style(f"No problems found ({checked}).\n", fg="green") if not result.problems else f"No findings ({checked}).\n"
    count, files = len(result.findings), len({f.filename for f in result.findings})
    fixable = sum(f.fix is not None and f.fix.applicability == "safe" for f in result.findings)
    unsafe = sum(f.fix is not None and f.fix.applicability == "unsafe" for f in result.findings)
    repair = f" {fixable} can be repaired with --fix." if fixable else ""
    repair += f" {unsafe}{' more' if fixable else ''} can be repaired with --fix --unsafe-fixes." if unsafe else ""
    return f"Found {count} problem{'s' if count != 1 else ''} in {files} file{'s' if files != 1 else ''} ({checked}).{repair}\n"
