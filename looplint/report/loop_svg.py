"""The drawing of a loop as one self-contained SVG: nested boxes, rows of events with their states, findings at their places."""

from __future__ import annotations

import os
import textwrap

from looplint.dataclass import dataclass, field
from looplint.escaping import escaped
from looplint.finding import Finding
from looplint.queries.loop_tree import Box, LoopView, Step
from looplint.report.loop_text import KINDS, TURNS, file_of

# Letters of the fixed-width font are this wide at its size; rows are this high.
_LETTER, _ROW, _PAD = 7.3, 20, 10
_CODE, _PHRASE, _KIND = 60, 52, 10
_STYLE = """
.back { fill: #fff } .box { fill: none; stroke: #d0d7de } .edge { stroke-width: 3 } .loop { stroke: #0969da; fill: #0969da } .call { stroke: #8250df; fill: #8250df }
.branch { stroke: #9a6700; fill: #9a6700 } .root { stroke: #8c959f; fill: #8c959f } .dashed { stroke-dasharray: 4 3 }
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre }
.row, .turn { fill: #656d76 } .kind { fill: #0969da } .title { font-weight: 600 } .good { fill: #1a7f37 } .warn { fill: #9a6700 } .unknown { fill: #656d76; font-style: italic }
.finding { fill: #cf222e } .findings { fill: #ffebe9 }
@media (prefers-color-scheme: dark) { .back { fill: #0d1117 } .box { stroke: #30363d } text { fill: #e6edf3 } .row, .turn, .unknown { fill: #8d96a0 } .kind { fill: #4493f8 }
.loop { stroke: #4493f8; fill: #4493f8 } .call { stroke: #ab7df8; fill: #ab7df8 } .branch { stroke: #d29922; fill: #d29922 } .good { fill: #3fb950 } .warn { fill: #d29922 }
.finding { fill: #f85149 } .findings { fill: #25171c } }
"""


@dataclass(slots=True)
class _Canvas:
    """What was drawn so far, and how far down it reaches."""

    states_at: float
    width: float
    y: float = _PAD
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, text: str, kind: str = "") -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{self.y + 14:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escaped(text)}</text>'
        )

    def rect(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="5" class="{kind}"/>')


def render(view: LoopView) -> str:
    """The drawing of a loop."""
    deepest = max((_depth(root) for root in view.roots), default=1)
    states_at = _PAD * (deepest + 1) + (6 + _KIND + _CODE) * _LETTER
    canvas = _Canvas(states_at, states_at + _PHRASE * _LETTER + _PAD * (deepest + 1))
    for root in view.roots:
        _box(canvas, root, _PAD, canvas.width - 2 * _PAD, view.filename)
        canvas.y += _PAD
    if not view.roots:
        _note(canvas, view.empty)
    if view.elsewhere:
        _note(canvas, "Found besides:")
        for finding in view.elsewhere:
            _finding(canvas, finding, _PAD, f"{finding.place}: ")
    if view.unjudged:
        _note(canvas, "Not followed to the end, and not judged:")
        for place, why in view.unjudged:
            _note(canvas, f"{place}: {why}")
    if not view.complete:
        _note(canvas, "The program is larger than what is followed from one file; what lies beyond is not drawn, and was not judged.")
    width, height = canvas.width, canvas.y + _PAD
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" role="img">'
    title = f"<title>{escaped(view.filename)}: the training loop as looplint understood it</title>"
    return "\n".join(
        [opening, title, f"<style>{_STYLE}</style>", '<rect class="back" width="100%" height="100%"/>', *canvas.parts, "</svg>", ""]
    )


def _depth(box: Box) -> int:
    return 1 + max((_depth(item) for item in box.items if isinstance(item, Box)), default=0)


def _box(canvas: _Canvas, box: Box, x: float, width: float, filename: str) -> None:
    inside = file_of(box) or filename
    top = canvas.y
    title = f"{box.role} · {box.title}" if box.kind == "loop" else f"{box.title} · {box.role}" if box.role else box.title
    if inside != filename and box.kind == "call":
        title += f" · {os.path.relpath(inside, os.path.dirname(filename) or '.')}"
    if box.place:
        canvas.text(x + _PAD, box.place.text.rjust(4), "row")
    canvas.text(x + _PAD + 5 * _LETTER, _cut(title, int((width - 2 * _PAD) / _LETTER) - 5), "title")
    canvas.y += _ROW
    for finding in box.findings:
        _finding(canvas, finding, x + _PAD)
    for item in box.items:
        if isinstance(item, Box):
            canvas.y += 4
            _box(canvas, item, x + _PAD, width - 2 * _PAD, inside)
            canvas.y += 4
        else:
            _step(canvas, item, x + _PAD)
    if box.kind == "loop":
        canvas.text(x + _PAD + 5 * _LETTER, f"↺ {TURNS.get(box.role, 'next turn')}", "turn")
        canvas.y += _ROW
    canvas.y += 2
    canvas.rect(x, top, width, canvas.y - top, f"box{' dashed' if box.kind == 'branch' else ''}")
    canvas.parts.append(f'<line x1="{x:.1f}" y1="{top + 4:.1f}" x2="{x:.1f}" y2="{canvas.y - 4:.1f}" class="edge {box.kind}"/>')


def _step(canvas: _Canvas, step: Step, x: float) -> None:
    canvas.text(x, step.place.text.rjust(4), "row")
    canvas.text(x + 5 * _LETTER, KINDS.get(step.kind, step.kind), "kind")
    at = x + (6 + _KIND) * _LETTER
    canvas.text(at, _cut(step.code, int((canvas.states_at - at) / _LETTER) - 1))
    lines = [(line, s.tone) for s in step.phrases for line in textwrap.wrap(str(s), _PHRASE)]
    lines += [(line, "unknown") for line in textwrap.wrap(step.condition, _PHRASE)]
    for line, tone in lines or [("", "plain")]:
        canvas.text(canvas.states_at, line, tone)
        canvas.y += _ROW
    for finding in step.findings:
        _finding(canvas, finding, x)


def _finding(canvas: _Canvas, finding: Finding, x: float, place: str = "") -> None:
    left = x + 5 * _LETTER
    room = canvas.width - 2 * x - 5 * _LETTER
    lines = textwrap.wrap(f"{place}{finding.code} {finding.name}: {finding.message}", max(40, int(room / _LETTER) - 2))
    canvas.rect(left, canvas.y, room, _ROW * len(lines) - 2, "findings")
    for line in lines:
        canvas.text(left + _LETTER, line, "finding")
        canvas.y += _ROW
    canvas.y += 2


def _note(canvas: _Canvas, text: str) -> None:
    canvas.text(_PAD, text, "turn")
    canvas.y += _ROW


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: max(1, room - 1)]}…"
