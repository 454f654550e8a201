"""Compares two runs of a program: where they first differ, and their curves."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from looplint.flow.kinds import EventKind
from looplint.runtime.evidence.claims.modes import reached_forwards
from looplint.runtime.streams.record import Recording
from looplint.runtime.streams.stream import Event, Stream

ROWS = 12  # of the table; curves in full are in the page
Series = list[float | None]


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something measured at events of one kind, in their order; not necessarily at each."""

    title: str
    kind: EventKind
    series: Callable[[Stream], Series]
    form: str = ".5g"


def _fact(kind: EventKind, name: str, scale: float = 1.0) -> Callable[[Stream], Series]:
    def value(event: Event) -> float | None:
        found = event.facts.get(name)
        found = found[0] if isinstance(found, list) and found else found
        return found / scale if isinstance(found, (int, float)) else None

    return lambda stream: [value(event) for event in stream.events if event.kind == kind]


def _nodes(stream: Stream) -> Series:
    """At each step, the autograd nodes that were alive before the forwards since the step before."""
    steps = [e.n for e in stream.of("step")]
    found: Series = [None] * len(steps)
    for mark in stream.marked("graph"):
        index = bisect_right(steps, mark.after)
        if index < len(found) and "nodes" in mark.facts:
            found[index] = max(found[index] or 0, mark.facts["nodes"])
    return found


def _unused_outputs(stream: Stream) -> Series:
    """At each forward, the norm of its output, where that is not trained on."""
    reached = reached_forwards(stream)
    return [None if event.n in reached else event.facts.get("output") for event in stream.of("forward")]


QUANTITIES = (
    Quantity("loss", "backward", _fact("backward", "loss")),
    Quantity("gradient norm", "step", _fact("step", "norm")),
    Quantity("learning rate", "step", _fact("step", "lr")),
    Quantity("parameter change", "step", _fact("step", "change")),
    Quantity("autograd nodes", "step", _nodes, ".0f"),
    Quantity("MiB resident", "step", _fact("step", "rss", 2**20), ".1f"),
    Quantity("MiB on the device", "step", _fact("step", "cuda", 2**20), ".1f"),
)
# Memory differs from run to run of one program. Of the outputs those count that no backward uses: what training puts out shows in its losses.
EXACT = (*QUANTITIES[:4], Quantity("norm of an output that no backward uses", "forward", _unused_outputs))


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs first differ: what was measured, at which event of its kind (from 1), and both values."""

    title: str
    kind: str
    number: int
    one: float
    other: float
    order: int  # the event's number in the first run

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.title} {self.one:.6g} against {self.other:.6g}"


def first_difference(one: Stream, other: Stream) -> Difference | None:
    """The first event at which a measurement differs, bit for bit; None where everything measured in both is the same."""

    def candidates() -> Iterator[Difference]:
        for quantity in EXACT:
            events = one.of(quantity.kind)
            for number, (event, a, b) in enumerate(zip(events, quantity.series(one), quantity.series(other), strict=False), 1):
                if a is not None and b is not None and a != b and not (math.isnan(a) and math.isnan(b)):
                    yield Difference(quantity.title, quantity.kind, number, a, b, event.n)
                    break

    return min(candidates(), key=lambda d: d.order, default=None)


def as_text(one: Recording, other: Recording, names: tuple[str, str]) -> str:
    """A comparison for people: how both ended, where they first differ, and their curves at some steps."""
    lines = [f"{name}: {recording.message}." for name, recording in zip(names, (one, other), strict=True)]
    counts = [(len(r.stream.of("backward")), len(r.stream.of("step"))) for r in (one, other)]
    if counts[0] != counts[1]:
        lines.append(f"{names[0]} reached {counts[0][0]} backwards and {counts[0][1]} steps, {names[1]} {counts[1][0]} and {counts[1][1]}.")
    difference = first_difference(one.stream, other.stream)
    lines.append(f"They first differ at {difference}." if difference is not None else "No measurement differs between them.")
    return "\n".join([*lines, "", *table(one.stream, other.stream, names)])


def table(one: Stream, other: Stream, names: tuple[str, str]) -> list[str]:
    """The measurements of both at some of their steps, side by side; what neither run has is left out."""
    measured = [(q, q.series(one), q.series(other)) for q in QUANTITIES]
    columns = [(q, a, b) for q, a, b in measured if any(v is not None for v in [*a, *b])]
    if not columns:
        return ["Neither run reached a backward or a step."]
    rows = _rows([series for _, a, b in columns for series in (a, b)])
    number = max(len(str(rows[-1] + 1)), 1)
    lines = [" " * number, "#".rjust(number), *(str(row + 1).rjust(number) for row in rows)]
    for quantity, a, b in columns:
        cells = [[names[i], *(_cell(series, row, quantity.form) for row in rows)] for i, series in enumerate((a, b))]
        left, right = (max(map(len, column)) for column in cells)
        left += max(0, len(quantity.title) - left - 2 - right)
        lines[0] += f"   {quantity.title:>{left + 2 + right}}"
        for index, (x, y) in enumerate(zip(*cells, strict=True), 1):
            lines[index] += f"   {x:>{left}}  {y:>{right}}"
    return [line.rstrip() for line in lines]


def _rows(columns: list[Series]) -> list[int]:
    """Some of the steps at which most was measured: of what is expensive, only a sample is."""
    counts = [sum(index < len(series) and series[index] is not None for series in columns) for index in range(max(map(len, columns)))]
    full = [index for index, count in enumerate(counts) if count >= 0.9 * max(counts)]
    return [full[i] for i in chosen(len(full))]


def _cell(series: Series, index: int, form: str) -> str:
    value = series[index] if index < len(series) else None
    return "" if value is None else format(value, form)


def chosen(length: int) -> list[int]:
    """At most so many positions: the first few, then ever further apart, and the last."""
    if length <= ROWS:
        return list(range(length))
    ratio = (length - 1) ** (1 / (ROWS - 1))
    return sorted({0, length - 1, *(min(length - 1, max(i, round(ratio**i))) for i in range(ROWS))})


def as_json(one: Recording, other: Recording, names: tuple[str, str]) -> dict[str, object]:
    """A comparison as plain data: the first difference, and the measurements of both."""
    difference = first_difference(one.stream, other.stream)
    first = (
        {"title": difference.title, "event": difference.kind, "number": difference.number, "values": [difference.one, difference.other]}
        if difference
        else None
    )
    curves = {q.title: {name: q.series(r.stream) for name, r in zip(names, (one, other), strict=True)} for q in QUANTITIES}
    return {
        "runs": {n: {"outcome": r.outcome, "message": r.message} for n, r in zip(names, (one, other), strict=True)},
        "first_difference": first,
        "curves": curves,
    }
