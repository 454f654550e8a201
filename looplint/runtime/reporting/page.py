"""One self-contained HTML page of a verification: for each case the scripts side by side, the curves of their runs, and the verdict.

Needs plotly (the extra `looplint[report]`); its script is part of the page, which loads nothing from elsewhere.
"""

from __future__ import annotations

import difflib
import gzip
import html
import re
from base64 import b64encode
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from looplint.errors import UserError
from looplint.runtime.harness.verify import Runs, Verdict
from looplint.runtime.streams.record import Recording
from looplint.runtime.streams.stream import Stream

POINTS = 200  # of a curve; more cannot be seen
# The colours of a figure's runs, in their order: the one in question, and those that it is compared with.
COLOURS = ("#c0392b", "#1e8449", "#2471a3")
DASHES = ("solid", "solid", "dot")
Curve = Callable[[Stream], tuple[list[float], list[float]]]


def _of_steps(fact: str) -> Curve:
    def curve(stream: Stream) -> tuple[list[float], list[float]]:
        found = [(float(i), e.facts[fact]) for i, e in enumerate(stream.of("step"), 1) if e.facts.get(fact) is not None]
        return [x for x, _ in found], [y[0] if isinstance(y, list) else y for _, y in found]

    return curve


def _loss(stream: Stream) -> tuple[list[float], list[float]]:
    found = [(float(i), e.facts["loss"]) for i, e in enumerate(stream.of("backward"), 1) if "loss" in e.facts]
    return [x for x, _ in found], [y for _, y in found]


def _alive(fact: str, scale: float = 1.0) -> Curve:
    """A curve of what is alive before forwards: at each point the largest of the last samples of all places."""

    def curve(stream: Stream) -> tuple[list[float], list[float]]:
        forwards = [e.n for e in stream.of("forward")]
        last: dict[object, float] = {}
        xs, ys = [], []
        for mark in stream.marked("graph"):
            if fact in mark.facts:
                last[mark.stack] = mark.facts[fact] / scale
                xs.append(float(bisect_right(forwards, mark.after) + 1))
                ys.append(max(last.values()))
        return xs, ys

    return curve


def _mode(stream: Stream) -> tuple[list[float], list[float]]:
    forwards = [e for e in stream.of("forward") if stream.things[e.object].facts.get("parameters")]
    return [float(i) for i in range(1, len(forwards) + 1)], [float(e.facts["training"]) for e in forwards]


CURVES: dict[str, tuple[str, Curve]] = {
    "loss": ("backward", _loss),
    "learning rate": ("step", _of_steps("lr")),
    "gradient norm at the step": ("step", _of_steps("norm")),
    "autograd nodes alive": ("forward", _alive("nodes")),
    "KiB saved for a backward": ("forward", _alive("held_bytes", 1024.0)),
    "model in training mode": ("forward", _mode),
}


def require() -> None:
    """Check that plotly is installed, before anything runs.

    Raises:
        UserError: plotly is not installed.
    """
    if find_spec("plotly") is None:
        raise UserError("--report needs plotly; install it with: pip install 'looplint[report]'")


def figure(recordings: dict[str, Recording]) -> str:
    """The curves of some runs above each other, as JSON for the page's script."""
    from plotly.graph_objects import Scatter
    from plotly.subplots import make_subplots

    columns = 3
    rows = -(-len(CURVES) // columns)
    plot = make_subplots(rows=rows, cols=columns, subplot_titles=list(CURVES), vertical_spacing=0.2, horizontal_spacing=0.07)
    for index, (axis, curve) in enumerate(CURVES.values()):
        row, column = index // columns + 1, index % columns + 1
        for number, (name, recording) in enumerate(recordings.items()):
            xs, ys = rounded(*thinned(*curve(recording.stream)))
            style = {"color": COLOURS[number], "width": 1.5, "dash": DASHES[number]}
            plot.add_trace(
                Scatter(
                    x=xs,
                    y=ys,
                    name=name,
                    mode="lines+markers" if len(xs) < 12 else "lines",
                    line=style,
                    legendgroup=name,
                    showlegend=index == 0,
                ),
                row=row,
                col=column,
            )
        peak = max((y for recording in recordings.values() for y in curve(recording.stream)[1] if y is not None), default=0.0)
        if index == list(CURVES).index("learning rate") and peak > 0:  # a constant rate would be drawn between -1 and 1
            plot.update_yaxes(range=[0, 1.1 * peak], row=row, col=column)
        plot.update_xaxes(title_text=axis, title_font_size=11, title_standoff=4, row=row, col=column)
    plot.update_yaxes(tickvals=[0, 1], ticktext=["eval", "train"], range=[-0.1, 1.1], row=rows, col=columns)
    plot.update_annotations(font_size=13)
    plot.update_layout(template="none", height=470, margin={"l": 50, "r": 15, "t": 60, "b": 45}, legend={"orientation": "h", "y": 1.16})
    return str(plot.to_json())


def thinned(xs: list[float], ys: list[float]) -> tuple[list[float], list[float]]:
    """A curve of at most so many points, with its ends."""
    if len(xs) <= POINTS:
        return xs, ys
    chosen = sorted({round(i * (len(xs) - 1) / (POINTS - 1)) for i in range(POINTS)})
    return [xs[i] for i in chosen], [ys[i] for i in chosen]


def rounded(xs: list[float], ys: list[float]) -> tuple[list[float], list[float]]:
    """A curve to as many digits as can be seen."""
    return [int(x) if x == int(x) else x for x in xs], [float(f"{y:.4g}") for y in ys]


def packed(text: str) -> str:
    """A text for the page's script to unpack: curves and scripts take a tenth of their size."""
    return b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def section(verdict: Verdict, runs: Runs) -> str:
    """The part of the page for one case."""
    recordings = {"broken": runs.broken, "expert": runs.expert}
    if runs.fixed is not None:
        recordings["linter"] = runs.fixed
    signals = {"broken": verdict.broken, "expert": verdict.expert, "linter": verdict.fixed}
    cells = "".join(
        f"<tr><th>{name}</th><td>{'shows it' if s.shown else 'does not show it'}</td><td>{html.escape(s.text)}</td></tr>"
        for name, s in signals.items()
        if s
    )
    outcomes = "; ".join(f"{name}: {html.escape(r.message)}" for name, r in recordings.items() if not r.ok)
    title = f"{verdict.code} {verdict.rule}/{verdict.case}"
    scripts = sources(runs.case.broken, runs.case.expert)
    linter = sources(runs.case.broken, runs.case.fixed) if runs.case.fixed else ""
    return f"""<details id="{html.escape(verdict.rule)}-{html.escape(verdict.case)}">
<summary><span class="badge {verdict.status.replace(" ", "-")}">{verdict.status}</span> {html.escape(title)}</summary>
<p>{html.escape(verdict.note)}{outcomes}</p>
<table class="signals">{cells}</table>
<p>{_bits(verdict)}</p>
{plot(recordings)}
<h3>Broken, and as an expert repairs it</h3>{scripts}
{"<h3>Broken, and as looplint repairs it</h3>" + linter if linter else ""}
</details>"""


def _bits(verdict: Verdict) -> str:
    if verdict.fixed is None:
        return "There is no repair by looplint to compare."
    ends = {
        True: "ends bitwise with the expert's parameters",
        False: "ends with other parameters than the expert's",
        None: "leaves no parameters to compare",
    }
    return f"The repair by looplint {ends[verdict.same]}."


def plot(recordings: dict[str, Recording]) -> str:
    """The element in which the page's script draws the curves of some runs; its JSON is safe inside a script element."""
    text = figure(recordings).replace("<", "\\u003c")
    return f'<div class="plot"><script type="application/json">{text}</script></div>'


def sources(broken: Path, repaired: Path | None) -> str:
    """The files of two forms of a case that differ, side by side."""
    if repaired is None:
        return ""
    if broken.is_file():
        return side_by_side(broken.name, repaired.name, _lines(broken), _lines(repaired))
    names = sorted({p.relative_to(root).as_posix() for root in (broken, repaired) for p in root.glob("**/*.py")})
    pairs = [(name, _lines(broken / name), _lines(repaired / name)) for name in names]
    return "".join(side_by_side(f"{broken.name}/{name}", f"{repaired.name}/{name}", old, new) for name, old, new in pairs if old != new)


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines() if path.exists() else []


def side_by_side(left: str, right: str, old: Sequence[str], new: Sequence[str]) -> str:
    rows = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for i in range(max(b - a, d - c)):
            one, other = (_cell(lines, start + i, end, kind, side) for lines, start, end, side in ((old, a, b, "old"), (new, c, d, "new")))
            rows.append(f"<tr>{one}{other}</tr>")
    columns = '<colgroup><col class="narrow"><col><col class="narrow"><col></colgroup>'
    head = f'<tr><th colspan="2">{html.escape(left)}</th><th colspan="2">{html.escape(right)}</th></tr>'
    return f'<div class="scroll"><table class="code">{columns}{head}{"".join(rows)}</table></div>'


def _cell(lines: Sequence[str], index: int, end: int, kind: str, side: str) -> str:
    if index >= end:
        return '<td class="number"></td><td class="none"></td>'
    mark = "" if kind == "equal" else side
    return f'<td class="number">{index + 1}</td><td class="{mark}">{html.escape(lines[index])}</td>'


STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --back: #fff; --text: #1d2733; --faint: #5c6770; --line: #d5dce3; --head: #f2f5f8;
  --old: #fde8e6; --new: #e4f5e9; --none: #f6f8fa; --link: #0969da; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --faint: #8d96a0; --line: #30363d; --head: #161b22; --old: #3c1618; --new: #12301c;
  --none: #161b22; --link: #4493f8; } }
body { max-width: 1400px; margin: 2rem auto; padding: 0 1rem; color: var(--text); background: var(--back); overflow-wrap: break-word; }
h1 { font-size: 1.5rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; } a { color: var(--link); }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; font-weight: 600; } pre { overflow-x: auto; }
.badge { display: inline-block; min-width: 5.5rem; padding: 0 .5rem; border-radius: 4px; text-align: center; font-size: .85rem; color: #fff; }
.proven, .refuted { background: #1a7a42; } .not-proven, .does-harm, .happens, .found-at-run-time-only { background: #c0392b; } .not-reached, .not-measured, .not-run, .harmless-here { background: #5f6b78; }
table { border-collapse: collapse; } .signals th { text-align: left; padding-right: 1rem; } .signals td { padding: .1rem .8rem .1rem 0; vertical-align: top; }
.overview td, .overview th { padding: .15rem .9rem .15rem 0; text-align: left; vertical-align: top; }
@media (max-width: 44rem) { .overview tr { display: grid; grid-template-columns: auto auto 1fr; padding: .3rem 0; } .overview td:last-child { grid-column: 1 / -1; } }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; margin-bottom: .6rem; } .plot, .wide { overflow-x: auto; } .plot > div { min-width: 46rem; }
.code { font: 11.5px/1.4 ui-monospace, monospace; width: 100%; min-width: 46rem; table-layout: fixed; }
.code th { background: var(--head); text-align: left; padding: .2rem .5rem; font-weight: 600; }
.code td { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0 .5rem; vertical-align: top; }
.code col.narrow { width: 2.6rem; }
.code td.number { color: var(--faint); text-align: right; user-select: none; }
.code .old { background: var(--old); } .code .new { background: var(--new); } .code .none { background: var(--none); }
"""

# Plots are drawn when their case is opened: a page of a hundred cases would take a minute otherwise.
SCRIPT = """
function coloured(layout) {
  const style = getComputedStyle(document.documentElement), text = style.getPropertyValue('--text'), line = style.getPropertyValue('--line');
  const changes = {paper_bgcolor: 'transparent', plot_bgcolor: 'transparent', 'font.color': text};
  for (const axis of Object.keys(layout).filter(name => /^[xy]axis/.test(name)))
    Object.assign(changes, {[axis + '.color']: text, [axis + '.gridcolor']: line, [axis + '.zerolinecolor']: line});
  return changes;
}
function draw(plot) {
  const data = plot.querySelector('script');
  if (!data) return;
  const figure = JSON.parse(data.textContent), drawn = document.createElement('div');
  data.replaceWith(drawn);
  Plotly.newPlot(drawn, figure.data, figure.layout, {responsive: true, displaylogo: false}).then(() => Plotly.relayout(drawn, coloured(figure.layout)));
}
async function unpacked(element) {
  const bytes = Uint8Array.from(atob(element.textContent), character => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
async function start() {
  for (const part of document.querySelectorAll('script[type="text/packed"]')) {
    const shown = document.createElement('div');
    shown.innerHTML = await unpacked(part);
    part.replaceWith(shown);
  }
  const library = document.createElement('script');
  library.textContent = await unpacked(document.getElementById('library'));
  document.head.append(library);
  for (const details of document.querySelectorAll('details'))
    details.addEventListener('toggle', () => { if (details.open) details.querySelectorAll('.plot').forEach(draw); });
  for (const plot of document.querySelectorAll('.plot')) if (!plot.closest('details:not([open])')) draw(plot);
  addEventListener('hashchange', follow);
  addEventListener('click', event => { if (event.target.closest('a[href="' + location.hash + '"]')) follow(); });
  follow();
  document.body.dataset.ready = '';
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.querySelectorAll('.js-plotly-plot').forEach(drawn => Plotly.relayout(drawn, coloured(drawn.layout))));
function follow() { const target = document.getElementById(location.hash.slice(1)); if (target) { target.open = true; target.scrollIntoView(); } }
start();
"""


def page(verdicts: Sequence[Verdict], sections: Iterable[str], device: str) -> str:
    """The whole page of a verification."""
    from looplint.runtime.harness.verify import as_json

    facts = as_json((), device)
    counts = Counter(v.status for v in verdicts)
    summary = ", ".join(f"{count} {status}" for status, count in counts.items())
    parts = "".join(sections)
    there = set(re.findall(r'<details id="([^"]*)"', parts))
    rows = "".join(
        f'<tr><td><span class="badge {v.status.replace(" ", "-")}">{v.status}</span></td><td>{v.code}</td>'
        f"<td>{_link(html.escape(f'{v.rule}-{v.case}'), html.escape(f'{v.rule}/{v.case}'), there)}</td>"
        f"<td>{html.escape(v.note or (v.broken.text if v.broken else ''))}</td></tr>"
        for v in verdicts
    )
    body = f"""<h1>What the rules claim, measured</h1>
<p>torch {facts["torch"]}, Python {facts["python"]}, {html.escape(device)}: {summary or "no case"}. Each case was run as it is (broken), as an expert repairs it,
and, where there is a repair, as looplint repairs it. A case is proven when the broken run shows what its rule claims and the repaired runs do not.</p>
<div class="wide"><table class="overview">{rows}</table></div>
<h2>Cases</h2>
<script type="text/packed">{packed(parts)}</script>"""
    return document("looplint verify", body)


def _link(target: str, text: str, there: Collection[str]) -> str:
    """A link to a case's part of the page; a case that was not run has none."""
    return f'<a href="#{target}">{text}</a>' if target in there else text


def document(title: str, body: str) -> str:
    """A self-contained page around a body; plots that are not inside a closed part are drawn at once."""
    from plotly.offline import get_plotlyjs

    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>
{body}
<script type="text/plain" id="library">{packed(get_plotlyjs())}</script>
<script>{SCRIPT}</script></body></html>
"""
