"""The drawing of a loop as text, for terminals and reviews."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator

from looplint.dataclass import dataclass
from looplint.escaping import shown_place, visible
from looplint.finding import Finding
from looplint.queries.loop_phrases import Phrase, Tone
from looplint.queries.loop_tree import Box, LoopView, Step

Style = Callable[..., str]
KINDS = {
    "construct": "build", "train": "mode", "eval": "mode", "accumulate": "add up", "copy": "build", "escape": "hand out", "switch": "set", "schedule": "schedule", "update": "rescale",
    "gradient": "by hand",
}  # fmt: skip
TURNS = {
    "batch loop": "next batch",
    "evaluation loop": "next batch",
    "accumulation loop": "next part of the batch",
    "epoch loop": "next epoch",
}
_TONES: dict[Tone, dict[str, object]] = {"plain": {}, "good": {"fg": "green"}, "warn": {"fg": "yellow"}, "unknown": {"dim": True}}
_MARK = "\N{MULTIPLICATION X}"
_ASCII = str.maketrans({"╭": "+", "╰": "+", "│": "|", "┆": ":", "─": "-", "┄": ".", "↺": "^", "╶": "-", "…": "~", _MARK: "x", "·": "-"})
_KIND_WIDTH = 9


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the drawing before it is laid out: line number, borders, code and its style, and the text beside it."""

    number: str
    borders: str
    code: str
    how: dict[str, object]
    phrases: tuple[Phrase, ...] = ()
    finding: Finding | None = None
    label: str = ""


def render(view: LoopView, *, width: int = 120, colour: bool = False, ascii_only: bool = False) -> str:
    """Draw a loop.

    Args:
        view: what was understood.
        width: how many columns there are.
        colour: whether to use the colours of a terminal.
        ascii_only: draw with plain characters, for outputs that have no others.
    """
    style = _style(colour)
    rows = [row for root in view.roots for row in _box(root, "", view.filename)]
    gutter = max((len(row.number) for row in rows), default=0) + 1
    code_width = _code_width(rows, gutter, width)
    lines: list[str] = []
    for row in rows:
        lines.extend(_laid_out(row, gutter, code_width, width, style))
    lines.extend(_closing(view, width, style))
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return text.translate(_ASCII) if ascii_only else text


def _style(colour: bool) -> Style:
    if not colour:
        return lambda text, **_: text
    from click import style

    return style


def _box(box: Box, borders: str, filename: str) -> Iterator[_Row]:
    """The rows of a box; `filename` is the file that the line numbers around it are of."""
    side, corner, line = ("┆", "╭┄", "╰┄") if box.kind == "branch" else ("│", "╭─", "╰─")
    number = box.place.text if box.place else ""
    if box.role == "as above":
        yield _Row(number, borders, f"╶─ {box.title} · as above", {"dim": True})
        return
    title = f"{box.role} · {box.title}" if box.role and box.kind == "loop" else f"{box.title} ({box.role})" if box.role else box.title
    inside = file_of(box) or filename
    if inside != filename and box.kind == "call":
        title = f"{title} · {os.path.relpath(inside, os.path.dirname(filename) or '.')}"
    yield _Row(number, borders, f"{corner} {title}", {"bold": box.kind != "branch"})
    inner = f"{borders}{side} "
    for finding in box.findings:
        yield _Row("", inner, "", {}, finding=finding)
    for item in box.items:
        if isinstance(item, Box):
            yield from _box(item, inner, inside)
            continue
        label = KINDS.get(item.kind, item.kind)
        phrases = (
            *item.phrases,
            *([Phrase("", f"only {item.condition}".replace("only unless", "unless", 1), "unknown")] if item.condition else []),
        )
        yield _Row(item.place.text, inner, item.code, {}, phrases, label=label)
        for finding in item.findings:
            yield _Row("", inner, "", {}, finding=finding)
    yield _Row("", borders, f"{line}↺ {TURNS.get(box.role, 'next turn')}" if box.kind == "loop" else line, {})


def file_of(box: Box) -> str | None:
    """The file that the lines of a box are of."""
    for item in box.items:
        if isinstance(item, Step):
            return item.place.filename
        if item.place is not None:
            return item.place.filename
        found = file_of(item)
        if found is not None:
            return found
    return None


def _code_width(rows: list[_Row], gutter: int, width: int) -> int:
    """How much room lines of code get: what they need, and no more than leaves room for the phrases on them."""
    needed = max((len(r.borders) + _KIND_WIDTH + 1 + len(r.code) for r in rows if r.phrases), default=40)
    return min(needed, max(36, (width - gutter) * 11 // 20))


def _laid_out(row: _Row, gutter: int, code_width: int, width: int, style: Style) -> Iterator[str]:
    number = f"{style(row.number.rjust(gutter - 1), fg='blue')} "
    if row.finding is not None:
        yield from _finding(row.finding, " " * gutter + style(row.borders, fg="blue"), width - gutter - len(row.borders), style)
        return
    label = f"{style(row.label.ljust(_KIND_WIDTH), fg='cyan')} " if row.label else ""
    if not row.phrases:
        room = width - gutter - len(row.borders)
        yield f"{number}{style(row.borders, fg='blue')}{style(_cut(visible(row.code), room), **row.how)}"
        return
    room = code_width - len(row.borders) - _KIND_WIDTH - 1
    code = _cut(visible(row.code), max(12, room))
    left = f"{number}{style(row.borders, fg='blue')}{label}{code}"
    used = len(row.borders) + _KIND_WIDTH + 1 + len(code)
    beside = max(24, width - gutter - code_width - 2)
    for phrase in row.phrases:
        for part in textwrap.wrap(visible(str(phrase)), beside, subsequent_indent="  ") or [""]:
            yield f"{left}{' ' * (max(0, code_width - used) + 2)}{style(part, **_TONES[phrase.tone])}"
            left, used = f"{' ' * gutter}{style(row.borders, fg='blue')}", len(row.borders)


def _finding(finding: Finding, before: str, room: int, style: Style) -> Iterator[str]:
    head = f"{_MARK} {finding.code} {finding.name}:"
    lines = textwrap.wrap(f"{head} {visible(finding.message)}", max(30, room - 2), subsequent_indent="  ")
    for line in lines:
        yield f"{before}  {style(line, fg='red')}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: max(1, room - 1)]}…"


def _closing(view: LoopView, width: int, style: Style) -> Iterator[str]:
    if not view.roots:
        yield view.empty
    if view.elsewhere:
        yield "Found besides:"
        for finding in view.elsewhere:
            yield f"  {shown_place(finding.place)}"
            yield from _finding(finding, "  ", width - 2, style)
    if view.unjudged:
        yield "Not followed to the end, and not judged:"
        for place, why in view.unjudged:
            for line in textwrap.wrap(visible(f"{place}: {why}"), max(30, width - 2), subsequent_indent="  "):
                yield f"  {style(line, fg='yellow')}"
    if not view.complete:
        yield "The program is larger than what is followed from one file; what lies beyond is not drawn, and was not judged."
