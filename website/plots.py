"""The evidence of a rule as a plot: per case, the measure of its claim in the broken run and in the repaired one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import log10
from typing import Any

_ROW = 26
_LEFT, _WIDTH, _RIGHT = 240, 380, 90
# Where values are this much apart, their sizes are compared and not their differences.
_WIDE = 30


def dots(cases: Sequence[Mapping[str, Any]]) -> str:
    """An SVG with a row for each case that was measured as a number, or nothing where none was."""
    measured = [(c["case"], c["broken"]["value"], c["expert"]["value"]) for c in cases if _number(c, "broken") and _number(c, "expert")]
    measured = [row for row in measured if row[1] != row[2]]
    if not measured:
        return ""
    values = [value for _, *pair in measured for value in pair]
    wide = max(values) > _WIDE * max(min(values), 1.0)
    places = [log10(1 + value) if wide else value for value in values]
    most = max(places) or 1.0
    height = _ROW * len(measured) + 34
    rows = []
    for number, (case, broken, expert) in enumerate(measured):
        y = _ROW * number + 16
        x, right = (_LEFT + _WIDTH * place / most for place in places[2 * number : 2 * number + 2])
        words = max(x, right)
        rows += [
            f'<text x="{_LEFT - 14}" y="{y + 4}" text-anchor="end">{escape(case.replace("_", " "))}</text>',
            f'<line x1="{right:.1f}" y1="{y}" x2="{x:.1f}" y2="{y}"/>',
            f'<circle class="repaired" cx="{right:.1f}" cy="{y}" r="5"><title>repaired: {expert:g}</title></circle>',
            f'<circle class="broken" cx="{x:.1f}" cy="{y}" r="5"><title>broken: {broken:g}</title></circle>',
            f'<text x="{words + 12:.1f}" y="{y + 4}">{_written(broken)} → {_written(expert)}</text>',
        ]
    y = height - 10
    scale = ", on a logarithmic scale" if wide else ""
    key = (
        f'<circle class="broken" cx="{_LEFT}" cy="{y - 4}" r="5"/><text x="{_LEFT + 10}" y="{y}">broken</text>'
        f'<circle class="repaired" cx="{_LEFT + 80}" cy="{y - 4}" r="5"/><text x="{_LEFT + 90}" y="{y}">repaired{scale}</text>'
    )
    return (
        f'<svg class="evidence" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {height}" role="img" '
        f'aria-label="The measure of the claim in each case, broken and repaired">{"".join(rows)}{key}</svg>'
    )


def _number(case: Mapping[str, Any], side: str) -> bool:
    return isinstance((case.get(side) or {}).get("value"), (int, float))


def _written(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
