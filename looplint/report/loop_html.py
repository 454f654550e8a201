"""The loop as one page that needs nothing else: boxes that fold, states as chips, and findings where they stand."""

from __future__ import annotations

import os
from collections.abc import Iterator

from looplint.escaping import escaped
from looplint.finding import Finding
from looplint.queries.loop_phrases import Phrase
from looplint.queries.loop_tree import Box, LoopView, Step
from looplint.report.loop_text import KINDS, TURNS, file_of
from looplint.report.records import url_of

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --faint: #656d76; --line: #d0d7de; --loop: #0969da; --call: #8250df; --branch: #9a6700;
  --good: #1a7f37; --warn: #9a6700; --bad: #cf222e; --bad-back: #ffebe9; --chip: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --faint: #8d96a0; --line: #30363d; --loop: #4493f8; --call: #ab7df8;
  --branch: #d29922; --good: #3fb950; --warn: #d29922; --bad: #f85149; --bad-back: #25171c; --chip: #161b22; } }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1rem; background: var(--back); color: var(--text); font: 14px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.1rem; } h1 small { font-weight: normal; color: var(--faint); }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-left: 3px solid var(--edge, var(--line)); border-radius: 6px; margin: .4rem 0; padding: 0 .6rem .3rem; }
details.loop { --edge: var(--loop); } details.call { --edge: var(--call); } details.branch { --edge: var(--branch); border-style: dashed; border-left-style: dashed; }
summary { padding: .3rem 0; cursor: pointer; } summary b { color: var(--edge, var(--text)); } summary i { color: var(--faint); font-style: normal; }
.step { display: grid; grid-template-columns: 3.5rem 5.5rem minmax(12rem, 5fr) minmax(12rem, 4fr); gap: .1rem .6rem; padding: .15rem 0; border-top: 1px solid var(--line); }
.row { color: var(--faint); text-align: right; font-variant-numeric: tabular-nums; } summary .row { display: inline-block; min-width: 2.5rem; margin-right: .5rem; }
.kind { color: var(--loop); } .phrases span { display: inline-block; background: var(--chip); border-radius: 4px; padding: 0 .4rem; margin: 0 .2rem .1rem 0; }
.phrases .good { color: var(--good); } .phrases .warn { color: var(--warn); } .phrases .unknown { color: var(--faint); font-style: italic; }
.finding { background: var(--bad-back); border-left: 3px solid var(--bad); border-radius: 4px; margin: .2rem 0 .2rem 4rem; padding: .2rem .6rem; }
.finding b, .finding a { color: var(--bad); } .turn, .note { color: var(--faint); }
@media (max-width: 44rem) { .step { grid-template-columns: 3rem 5rem 1fr; } .phrases { grid-column: 3; } }
"""


def render(view: LoopView) -> str:
    """A page that shows a loop."""
    body = [f"<h1>{escaped(view.filename)} <small>the training loop as looplint understood it</small></h1>"]
    for root in view.roots:
        body.extend(_box(root, view.filename))
    if not view.roots:
        body.append(f'<p class="note">{escaped(view.empty)}</p>')
    if view.elsewhere:
        body.append("<h2>Found besides</h2>")
        body.extend(_finding(f, f.place) for f in view.elsewhere)
    if view.unjudged:
        items = "".join(f"<li><code>{escaped(place)}</code>: {escaped(why)}</li>" for place, why in view.unjudged)
        body.append(f"<h2>Not followed to the end, and not judged</h2><ul>{items}</ul>")
    if not view.complete:
        body.append(
            '<p class="note">The program is larger than what is followed from one file; what lies beyond is not drawn, and was not judged.</p>'
        )
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escaped(view.filename)}: the loop</title><style>{_STYLE}</style>'
    return "\n".join(["<!DOCTYPE html>", f'<html lang="en"><head>{head}</head><body>', *body, "</body></html>", ""])


def _box(box: Box, filename: str) -> Iterator[str]:
    inside = file_of(box) or filename
    row = f'<span class="row">{box.place.text}</span>' if box.place else ""
    role = f"<b>{escaped(box.role)}</b> " if box.kind == "loop" else ""
    extra = f" <i>{escaped(box.role)}</i>" if box.role and box.kind != "loop" else ""
    if inside != filename and box.kind == "call":
        extra += f" <i>{escaped(os.path.relpath(inside, os.path.dirname(filename) or '.'))}</i>"
    summary = f"<summary>{row}{role}<code>{escaped(box.title)}</code>{extra}</summary>"
    yield f'<details class="{box.kind}"{"" if box.role == "as above" else " open"}>{summary}'
    yield from (_finding(f) for f in box.findings)
    for item in box.items:
        if isinstance(item, Box):
            yield from _box(item, inside)
        else:
            yield _step(item)
            yield from (_finding(f) for f in item.findings)
    if box.kind == "loop":
        yield f'<div class="turn">↺ {TURNS.get(box.role, "next turn")}</div>'
    yield "</details>"


def _step(step: Step) -> str:
    phrases = "".join(_chip(p) for p in step.phrases)
    if step.condition:
        phrases += f'<span class="unknown">{escaped(step.condition)}</span>'
    cells = [f'<span class="row">{step.place.text}</span>', f'<span class="kind">{escaped(KINDS.get(step.kind, step.kind))}</span>']
    return f'<div class="step">{"".join(cells)}<code>{escaped(step.code)}</code><div class="phrases">{phrases}</div></div>'


def _chip(phrase: Phrase) -> str:
    return f'<span class="{phrase.tone}">{escaped(str(phrase))}</span>'


def _finding(finding: Finding, place: str = "") -> str:
    where = f"{escaped(place)}: " if place else ""
    name = f'<a href="{escaped(url_of(finding))}">{escaped(finding.name)}</a>'
    return f'<div class="finding">{where}<b>{escaped(finding.code)}</b> {name} {escaped(finding.message)}</div>'
