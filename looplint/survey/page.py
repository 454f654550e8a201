"""A survey as one self-contained HTML page, for a desk, a telephone and paper. It loads nothing from anywhere."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from looplint.escaping import escaped
from looplint.survey.figures import Figures, Group, RuleFigures
from looplint.survey.tables import Table, all_tables, summary

# More bars than these are read in the table.
_MOST = 20
_COLOURS = {"error": "#c0392b", "warning": "#c87f0a", "advice": "#2874a6"}
_SHARES = {"judged": "#1e8449", "lost": "#c0392b", "owned": "#7f8c8d"}
_REPAIRS = {"safe": "#1e8449", "unsafe": "#c87f0a", "none": "#7f8c8d"}
_ROW, _FRAME = 24, 110
_TICKS = (0, 10, 100, 1000, 10_000)
_CODE = re.compile(r"`([^`]*)`")


def page(figures: Figures) -> str:
    """The whole page."""
    plots = {
        # Advice is the most of what is found; beside it the bars of errors would not be seen.
        "By rule": [_rules(figures, ("error", "warning")), _rules(figures, ("advice",))],
        "By kind of repository": [_understood(figures), _heat(figures, figures.kinds, "by_kind")],
        "By year of the last commit": [_heat(figures, figures.years, "by_year")],
        "Repairs available": [_repairs(figures)],
    }
    sections = "".join(_section(table, plots.get(table.title, [])) for table in all_tables(figures))
    items = "".join(f"<li>{escaped(line)}</li>" for line in summary(figures).splitlines())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>looplint survey</title><style>{STYLE}</style><script>{get_plotlyjs()}</script></head><body>
<h1>A survey of training loops</h1><ul>{items}</ul>
{sections}
<script>{SCRIPT}</script></body></html>
"""


def _section(table: Table, figures: Sequence[go.Figure | None]) -> str:
    plots = "".join(_plot(figure) for figure in figures if figure is not None)
    head = "".join(f"<th{_side(table, n)}>{escaped(cell)}</th>" for n, cell in enumerate(table.head))
    rows = "".join(f"<tr>{''.join(f'<td{_side(table, n)}>{escaped(cell)}</td>' for n, cell in enumerate(row))}</tr>" for row in table.rows)
    note = _CODE.sub(r"<code>\1</code>", escaped(table.note))
    shown = f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    return f"<section><h2>{escaped(table.title)}</h2><p>{note}</p>{plots}{shown}</section>"


def _side(table: Table, column: int) -> str:
    return ' class="number"' if column >= table.words else ""


def _plot(figure: go.Figure) -> str:
    text = figure.to_json().replace("<", "\\u003c")
    return f'<figure class="plot"><script type="application/json">{text}</script></figure>'


def _rules(figures: Figures, severities: Sequence[str]) -> go.Figure | None:
    """Findings of some severities for each thousand loops, a bar for each rule that has such findings."""

    def total(rule: RuleFigures) -> int:
        return sum(rule.severities.get(severity, 0) for severity in severities)

    shown = sorted(filter(total, figures.rules), key=lambda rule: (-total(rule), rule.code))[:_MOST]
    if not shown or not figures.whole.judged:
        return None
    bars = [
        go.Bar(
            name=severity,
            orientation="h",
            y=[rule.code for rule in shown],
            x=[figures.whole.per_thousand(rule.severities.get(severity, 0)) for rule in shown],
            hovertext=[rule.name for rule in shown],
            marker_color=_COLOURS[severity],
            showlegend=True,
        )
        for severity in severities
    ]
    return _bars(bars, len(shown), "findings for each 1,000 loops")


def _understood(figures: Figures) -> go.Figure | None:
    """The share of loops that were judged, lost, or are a library's, a bar for each kind."""
    shown = [group for group in figures.kinds if group.judged + group.lost + group.owned]
    if not shown:
        return None
    totals = [group.judged + group.lost + group.owned for group in shown]
    bars = [
        go.Bar(
            name={"judged": "understood", "lost": "not understood", "owned": "run by a library"}[state],
            orientation="h",
            y=[group.name for group in shown],
            x=[100 * getattr(group, state) / total for group, total in zip(shown, totals)],
            marker_color=colour,
        )
        for state, colour in _SHARES.items()
    ]
    return _bars(bars, len(shown), "% of the training loops")


def _repairs(figures: Figures) -> go.Figure | None:
    """The findings that come with a repair, a bar for each rule."""
    shown = figures.rules[:_MOST]
    if not shown:
        return None
    bars = [
        go.Bar(
            name=f"{kind} repair" if kind != "none" else "none",
            orientation="h",
            y=[rule.code for rule in shown],
            x=[_repaired(rule, kind) for rule in shown],
            hovertext=[rule.name for rule in shown],
            marker_color=colour,
        )
        for kind, colour in _REPAIRS.items()
    ]
    return _bars(bars, len(shown), "findings")


def _repaired(rule: RuleFigures, kind: str) -> int:
    return rule.repairs.get(kind, 0) if kind != "none" else rule.findings - rule.repairs.get("safe", 0) - rule.repairs.get("unsafe", 0)


def _bars(bars: Sequence[go.Bar], rows: int, axis: str) -> go.Figure:
    figure = go.Figure(list(bars))
    figure.update_layout(
        barmode="stack",
        template="none",
        height=_FRAME + _ROW * rows,
        margin={"l": 70, "r": 12, "t": 40, "b": 50},
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        xaxis={"title": {"text": axis, "standoff": 6}, "rangemode": "tozero"},
        dragmode=False,
    )
    return figure


def _heat(figures: Figures, groups: Sequence[Group], column: str) -> go.Figure | None:
    """Findings for each thousand loops of each group, a row for each rule."""
    groups = [group for group in groups if group.judged]
    shown = figures.rules[:_MOST]
    if not shown or len(groups) < 2:
        return None
    values = [[group.per_thousand(getattr(rule, column).get(group.name, 0)) for group in groups] for rule in shown]
    few = len(groups) <= 5
    heat = go.Heatmap(
        # Few rules have most of the findings; the colours are those of the logarithm, so that the others are seen too.
        z=[[math.log10(1 + value) if value is not None else None for value in row] for row in values],
        customdata=values,
        x=[group.name for group in groups],
        y=[rule.code for rule in shown],
        text=[[f"{value:.0f}" if value else "" for value in row] for row in values],
        texttemplate="%{text}" if few else None,
        hovertemplate="%{y}, %{x}: %{customdata:.1f} for each 1,000 loops<extra></extra>",
        colorscale=[[0, "#f4f6f8"], [0.33, "#c6dbef"], [0.66, "#6baed6"], [1, "#2171b5"]],
        showscale=not few,
        colorbar={
            "orientation": "h",
            "y": -0.12,
            "yanchor": "top",
            "thickness": 8,
            "tickvals": [math.log10(1 + value) for value in _TICKS],
            "ticktext": [f"{value:,}" for value in _TICKS],
            "title": {"text": "findings for each 1,000 loops", "side": "bottom"},
        },
        xgap=1,
        ygap=1,
    )
    figure = go.Figure(heat)
    figure.update_layout(
        template="none",
        height=_FRAME + _ROW * len(shown) + (0 if few else 60),
        # On a telephone many names stand upright.
        margin={"l": 70, "r": 12, "t": 30 if few else 60, "b": 40 if few else 90},
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        xaxis={"type": "category", "side": "top"},
        dragmode=False,
    )
    return figure


STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; --back: #fff; --text: #1d2733; --line: #d5dce3; --head: #f2f5f8; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --line: #30363d; --head: #161b22; } }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: var(--text); background: var(--back); overflow-wrap: break-word; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; } ul { padding-left: 1.2rem; }
figure { margin: .6rem 0; } .wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th { background: var(--head); } th, td { padding: .2rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.number { text-align: right; }
@media print {
  :root { color-scheme: light; --back: #fff; --text: #000; --line: #999; --head: #eee; font-size: 10pt; }
  body { max-width: none; margin: 0; padding: 0; } .wide { overflow: visible; } .modebar { display: none; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; } thead { display: table-header-group; }
}
"""

# A plot is drawn in the colours of the page; on paper in those of paper, and no wider than that.
SCRIPT = """
const plots = [];
function colours(layout) {
  const style = getComputedStyle(document.documentElement), text = style.getPropertyValue('--text'), line = style.getPropertyValue('--line');
  return {paper_bgcolor: 'transparent', plot_bgcolor: 'transparent', 'font.color': text, 'xaxis.gridcolor': line, 'xaxis.color': text, 'yaxis.color': text};
}
for (const place of document.querySelectorAll('.plot')) {
  const data = place.querySelector('script'), figure = JSON.parse(data.textContent), drawn = document.createElement('div');
  data.replaceWith(drawn);
  plots.push(drawn);
  Plotly.newPlot(drawn, figure.data, figure.layout, {responsive: true, displayModeBar: false, scrollZoom: false}).then(() => Plotly.relayout(drawn, colours()));
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plots.forEach(drawn => Plotly.relayout(drawn, colours())));
addEventListener('beforeprint', () => plots.forEach(drawn => Plotly.relayout(drawn, {...colours(), 'font.color': '#000', 'xaxis.color': '#000', 'yaxis.color': '#000', autosize: false, width: 660})));
addEventListener('afterprint', () => plots.forEach(drawn => Plotly.relayout(drawn, {...colours(), autosize: true, width: null})));
"""
