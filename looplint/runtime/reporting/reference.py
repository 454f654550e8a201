"""The reference loop in the reports of `looplint verify`: as a table, as data, and as parts of the page."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from typing import Any, Literal

from looplint.runtime.harness.reference import LEARNED, Comparison, compare, edited
from looplint.runtime.streams.record import Launch, Options


def status(comparison: Comparison) -> Literal["proven", "not proven", "harmless here"]:
    """The status of a misplacement: shown, not shown, or harmless here."""
    learned = (comparison.right.accuracy or 0.0) >= LEARNED
    if comparison.shown is None or comparison.clean is None or not learned or comparison.clean.shown:
        return "not proven"
    if comparison.variant.harmless and not comparison.shown.shown:
        return "harmless here"
    return "proven" if comparison.shown.shown and not comparison.variant.harmless else "not proven"


def run(device: str, seconds: float, launch: Launch | None, jobs: int, progress: Callable[[str], None]) -> list[Comparison]:
    """Runs the loop and each misplacement; `progress` gets a line for each."""
    found = []
    for comparison in compare(Options(seconds=seconds, device=device, whole=True, environment={"OMP_NUM_THREADS": "1"}), launch, jobs):
        found.append(comparison)
        progress(f"reference loop, {comparison.variant.code} {comparison.variant.title}: {status(comparison)}")
    return found


def text(comparisons: Sequence[Comparison]) -> str:
    """A table: what each misplacement showed, and what accuracy the loop came to with it."""
    rows = [("code", "misplacement", "verdict", "accuracy", "what the run shows")]
    rows += [(c.variant.code, c.variant.title, status(c), accuracy(c), shown(c)) for c in comparisons]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[4]]).rstrip() for row in rows]
    return "\n".join([f"The correct reference loop reaches an accuracy of {right(comparisons)}.", "", *lines])


def right(comparisons: Sequence[Comparison]) -> str:
    return f"{comparisons[0].right.accuracy or 0.0:.3f}" if comparisons else "-"


def accuracy(comparison: Comparison) -> str:
    found = comparison.broken.accuracy
    return "none: it fails" if found is None else f"{found:.3f}"


def shown(comparison: Comparison) -> str:
    text = comparison.shown.text if comparison.shown is not None else "nothing was measured"
    return f"{text} ({comparison.variant.harmless})" if comparison.variant.harmless else text


def as_json(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    return [
        {
            "code": c.variant.code,
            "title": c.variant.title,
            "status": status(c),
            "accuracy": c.broken.accuracy,
            "accuracy_right": c.right.accuracy,
            "shown": shown(c),
        }
        for c in comparisons
    ]


def sections(comparisons: Sequence[Comparison]) -> str:
    """The loop's part of the page."""
    from looplint.runtime.reporting.page import plot, side_by_side

    parts = []
    for c in comparisons:
        badge = f'<span class="badge {status(c).replace(" ", "-")}">{status(c)}</span>'
        texts = side_by_side("misplaced", "as it should be", edited(c.variant.edits).splitlines(), edited(c.variant.right).splitlines())
        parts.append(
            f"<details><summary>{badge} {c.variant.code} {html.escape(c.variant.title)}: accuracy {accuracy(c)}</summary><p>{html.escape(shown(c))}</p>"
            f"{plot({'misplaced': c.broken.recording, 'as it should be': c.right.recording})}{texts}</details>"
        )
    return (
        "<h2>The reference loop</h2><p>A loop that learns three interleaved spirals, and the same loop with one thing misplaced at a time. "
        f"The correct loop reaches an accuracy of {right(comparisons)}.</p>{''.join(parts)}"
    )
