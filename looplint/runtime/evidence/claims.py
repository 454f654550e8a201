"""What signals are made of: a measure of a rule's claim on a recorded stream, beside the stream of the expert's repair.

A signal gets the stream of the run in question and the stream of the expert's repair, and says whether the run shows the rule's damage.
The repair's stream is the measure for what is only large or small by comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from looplint.runtime.streams.stream import Event, Stream, Thing

EARLY = 50  # steps over which two runs are compared: later on they have gone different ways


@dataclass(frozen=True, slots=True)
class Signal:
    """Whether a run shows what the rule claims, by how much, and in words."""

    shown: bool
    value: float | None
    text: str


Measure = Callable[[Stream, Stream], Signal]


def optimizers(stream: Stream) -> list[Thing]:
    """The optimizers of a run, without those that another one steps by."""
    inner = {mark.facts["object"] for mark in stream.marked("inner")}
    return [thing for thing in stream.with_role("optimizer") if thing.id not in inner]


def steps_of(stream: Stream, optimizer: Thing) -> list[Event]:
    return stream.of("step", where=lambda e: e.object == optimizer.id and not e.facts.get("skipped"))


def concerns(event: Event, optimizer: Thing) -> bool:
    return event.object == optimizer.id or optimizer.id in event.facts.get("holders", ())


def empty(step: Event) -> bool:
    """Whether a step found no gradients, or only zeros."""
    return step.facts["grads"] == 0 or step.facts.get("norm") == 0.0


def unchanged(stream: Stream, optimizer: Thing) -> bool:
    """Whether the optimizer's parameters end bitwise as they began."""
    for entry in stream.end.get("optimizers", ()):
        if entry["object"] == optimizer.id and entry["start"]:
            return bool(entry["start"] == entry["end"])
    return False


def norms(stream: Stream, optimizer: Thing) -> list[float]:
    """The gradient norm that each early step would have used, had nothing clipped it."""
    found: list[float] = []
    clipped: float | None = None
    for event in stream.events:
        if event.kind == "clip" and concerns(event, optimizer) and event.facts["function"] == "clip_grad_norm_":
            clipped = event.facts.get("norm") if event.facts["grads"] else None
        elif event.kind == "step" and event.object == optimizer.id:
            norm = clipped if clipped is not None else event.facts.get("norm")
            if norm is not None:
                found.append(norm)
            clipped = None
    return found[:EARLY]


def worst(signals: Iterable[Signal], otherwise: str) -> Signal:
    """The signal that shows most."""
    return max(signals, key=lambda s: (s.shown, abs(s.value or 0.0)), default=Signal(False, None, otherwise))


def per_optimizer(measure: Callable[[Stream, Thing, Stream, Thing | None], Signal]) -> Measure:
    """A signal of single optimizers: the run shows it when one of them does; they are matched with the repair's by the order they were built in."""

    def signal(run: Stream, right: Stream) -> Signal:
        matches = optimizers(right)
        pairs = [(o, matches[i] if i < len(matches) else None) for i, o in enumerate(optimizers(run))]
        return worst((measure(run, o, right, match) for o, match in pairs), "no optimizer was built")

    return signal


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def most_alive(stream: Stream, fact: str) -> int:
    return max((int(mark.facts.get(fact, 0)) for mark in stream.marked("graph")), default=0)
