"""The report people read: the source lines, what happened where, advice in a line for each rule, and a closing count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from looplint.escaping import shown_place, visible
from looplint.finding import COLOURS, SEVERITIES, Finding, Location, Severity
from looplint.linting.files import LintResult
from looplint.linting.fingerprint import enclosing
from looplint.sources.reading import lines_of

Style = Callable[..., str]
_ADVICE_OPTIONS = "`--exit-on advice` shows each place, `--min-severity warning` leaves it out"
# So many places are named where a line stands for several.
_PLACES = 3
# No message is wrapped into narrower lines: words and names would stand alone.
_NARROWEST = 40


def render(result: LintResult, *, colour: bool = False, width: int | None = None) -> str:
    """The report; messages are wrapped into lines of a width where it is given. Places and lines of source stay as they are."""
    # A process that reports more than once must not show the lines of the time before.
    _lines.cache_clear()
    style = style_of(colour)
    advice = result.advice
    merged = set(advice)
    width = width and max(width, _NARROWEST)
    blocks = [_block(alike, style, width) for alike in _alike(f for f in result.findings if f not in merged)]
    if advice:
        blocks.append("".join(_advice(group, style, width) for group in _by_rule(advice)))
    end = closing(result, style)
    return "\n".join(
        [*blocks, "".join(f"{_wrapped(line.lstrip(), width, _indent(line))}\n" for line in end.splitlines()) if width else end]
    )


def style_of(colour: bool) -> Style:
    if not colour:
        return lambda text, **_: text
    from click import style

    return style


def _wrapped(text: str, width: int | None, head: str = "", plain: str | None = None) -> str:
    """A text behind its head, in lines of a width; the following ones stand further in than a head that says something.

    Args:
        text: what is wrapped.
        width: how wide a line is; the text is one line where it is None.
        head: the beginning of the line.
        plain: the same without colours, where it has some.
    """
    if width is None:
        return head + text
    import textwrap

    plain = head if plain is None else plain
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=plain,
        subsequent_indent=_indent(plain) + "  " * bool(plain.strip()),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return head + "\n".join(lines)[len(plain) :]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _alike(findings: Iterable[Finding]) -> Iterable[Sequence[Finding]]:
    """Findings that are one mistake made several times: of one rule and severity, in one function."""
    groups: dict[object, list[Finding]] = {}
    for f in findings:
        function = enclosing(_lines(f.filename, f.cell), f.location.row)
        groups.setdefault((f.code, f.severity, f.filename, f.cell, function), []).append(f)
    return groups.values()


def _block(findings: Sequence[Finding], style: Style, room: int | None) -> str:
    """One mistake: the places where it is made, what takes part in it, and what would repair it."""
    first = findings[0]
    fg = COLOURS[first.severity]
    level = style(f"{first.severity}:", fg=fg, bold=True)
    places = f" ({len(findings)} places)" if len(findings) > 1 else ""
    head = f"{style(shown_place(first.place), bold=True)}: {level} {style(first.code, fg=fg, bold=True)} {style(first.name, fg=fg)}{places}"
    rows: dict[tuple[str, int | None, Location, Location | None, str, bool], None] = {}
    for f in findings:
        label = "here" if f is first else "and here" if f.message == first.message else f.message.partition(":")[0]
        rows[(f.filename, f.cell, f.location, f.end_location, label, True)] = None
        rows |= {(r.filename, r.cell, r.location, None, r.message, False): None for r in f.related}
    ordered = sorted(rows, key=lambda row: (row[0] != first.filename, row[0], row[1] or 0, row[2]))
    width = max(len(str(row[2].row)) for row in ordered)
    lines = [head, _wrapped(visible(first.message), room, "  "), f"{' ' * width} {style('|', fg='blue')}"]
    before = (first.filename, first.cell) if ordered[0][1] == first.cell else ("", None)
    for filename, cell, start, end, label, primary in ordered:
        if (filename, cell) != before:
            lines.append(f"{' ' * width} {style(':::', fg='blue')} {visible(filename)}{f':cell {cell}' if cell else ''}")
            before = (filename, cell)
        text = _line(filename, cell, start.row)
        lines.append(f"{style(str(start.row).rjust(width), fg='blue')} {style('|', fg='blue')} {text}")
        mark = ("^" if primary else "-") * _length(text, start, end)
        lines.append(
            f"{' ' * width} {style('|', fg='blue')} {' ' * (start.column - 1)}{style(mark, fg=fg if primary else 'blue', bold=True)} "
            f"{style(visible(label), fg=fg if primary else 'blue')}"
        )
    repairs = [
        (style("repair", bold=True), "repair", f" ({f.fix.applicability}): {visible(f.fix.message)}") for f in findings if f.fix is not None
    ]
    repairs += [("not repaired", "not repaired", f": {visible(f.unrepaired)}") for f in findings if f.unrepaired]
    for styled, plain, text in dict.fromkeys(repairs):
        margin = " " * width
        lines.append(_wrapped(text, room, f"{margin} {style('=', fg='blue')} {styled}", f"{margin} = {plain}"))
    return "\n".join(lines) + "\n"


def _by_rule(findings: Sequence[Finding]) -> Iterable[Sequence[Finding]]:
    groups: dict[tuple[str, bool], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.unused), []).append(finding)
    return (groups[key] for key in sorted(groups))


def _advice(findings: Sequence[Finding], style: Style, room: int | None) -> str:
    """The findings of one rule in one line, those in unused code apart: where the first ones are, and the message of the first."""
    first, fg = findings[0], COLOURS["advice"]
    places = first.place
    if len(findings) > 1:
        named = [*(f.place for f in findings[:_PLACES]), *(["..."] if len(findings) > _PLACES else [])]
        places = f"{len(findings)} places ({', '.join(named)})"
    places += " in code that nothing uses" if first.unused else ""
    head = f"{style('advice:', fg=fg, bold=True)} {style(first.code, fg=fg, bold=True)} {style(first.name, fg=fg)}"
    return _wrapped(f": {visible(places)}: {visible(first.message)}", room, head, f"advice: {first.code} {first.name}") + "\n"


def _length(text: str, start: Location, end: Location | None) -> int:
    if end is not None and end.row == start.row:
        return max(1, end.column - start.column)
    return max(1, len(text.rstrip()) - start.column + 1)


_lines = lru_cache(maxsize=64)(lines_of)


def _line(filename: str, cell: int | None, row: int) -> str:
    lines = _lines(filename, cell)
    return visible(lines[row - 1].replace("\t", " ")) if 0 < row <= len(lines) else ""


def closing(result: LintResult, style: Style, most: int | None = 3) -> str:
    """The count of findings, remarks on the run, and which loops were judged; `most` of those that were not are named, all where it is None."""
    return "".join([_count(result, style), *(f"{remark}\n" for remark in result.remarks), result.coverage.summary(most)])


def _count(result: LintResult, style: Style) -> str:
    checked = f"{result.checked} file{'s' if result.checked != 1 else ''} checked"
    advice = result.advice
    fixable = sum(f.fix is not None and f.fix.applicability == "safe" for f in result.findings)
    unsafe = sum(f.fix is not None and f.fix.applicability == "unsafe" for f in result.findings)
    repair = f" {fixable} can be repaired with --fix." if fixable else ""
    repair += f" {unsafe}{' more' if fixable else ''} can be repaired with --fix --unsafe-fixes." if unsafe else ""
    if len(advice) < len(result.findings):
        merged = set(advice)
        problems = [f for f in result.findings if f not in merged]
        files = len({f.filename for f in problems})
        line = f"Found {numbers(problems)} in {files} file{'s' if files != 1 else ''} ({checked}).{repair}\n"
    elif result.problems:
        line = f"No findings ({checked}).\n"
    else:
        line = style(f"No problems found ({checked}).", fg="green") + f"{repair}\n"
    if advice:
        line += f"Advice fails no run: {_ADVICE_OPTIONS}.\n"
    return line


def numbers(findings: Sequence[Finding]) -> str:
    """How many there are of each severity: "2 errors and 1 warning"."""
    counted = [(severity, sum(f.severity == severity for f in findings)) for severity in SEVERITIES]
    *others, last = [_number(severity, count) for severity, count in counted if count]
    return f"{', '.join(others)} and {last}" if others else last


def _number(severity: Severity, count: int) -> str:
    if severity == "advice":
        return f"{count} piece{'s' if count != 1 else ''} of advice"
    return f"{count} {severity}{'s' if count != 1 else ''}"
