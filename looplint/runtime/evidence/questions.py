"""What several claims ask of a recorded stream."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from looplint.runtime.streams.stream import Event, Stream, Thing

EARLY = 50  # steps over which two runs are compared: later on they have gone different ways
NEARBY = 256  # events on either side among which those of the same iteration are looked for


def optimizers(stream: Stream) -> list[Thing]:
    """The optimizers of a run, without those that another one steps."""
    inner = {mark.facts["object"] for mark in stream.marked("inner")}
    return [thing for thing in stream.with_role("optimizer") if thing.id not in inner]


def steps_of(stream: Stream, optimizer: Thing) -> list[Event]:
    return stream.of("step", where=lambda e: e.object == optimizer.id and not e.facts.get("skipped"))


def concerns(event: Event, optimizer: Thing) -> bool:
    return event.object == optimizer.id or optimizer.id in event.facts.get("holders", ())


def empty(step: Event) -> bool:
    """Whether a step found no gradients, or only zeros."""
    return step.facts.get("grads") == 0 or step.facts.get("norm") == 0.0  # a step that a scaler left out had some, which overflowed


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


def most_alive(stream: Stream, fact: str) -> int:
    return max((int(mark.facts.get(fact, 0)) for mark in stream.marked("graph")), default=0)


def trained_batches(stream: Stream) -> set[tuple[int, int, int]]:
    """The batches of loaders that some backward used: loader, pass and number."""
    return {batch for e in stream.of("backward") for batch in e.batches}


def fills(event: Event, optimizer: Thing) -> bool:
    """Whether a backward wrote to the optimizer's gradients."""
    return event.kind == "backward" and optimizer.id in event.facts.get("filled", ())


def states(stream: Stream, optimizer: Thing) -> Iterator[tuple[Event, str]]:
    """The events of an optimizer's gradients, each with the state that it met: empty, filled or applied."""
    state = "empty"
    for event in stream.events:
        if fills(event, optimizer):
            yield event, state
            state = "filled"
        elif event.kind == "step" and event.object == optimizer.id:
            yield event, state
            state = "applied" if state != "empty" else state
        elif event.kind in ("clear", "clip") and concerns(event, optimizer):
            yield event, state
            state = "empty" if event.kind == "clear" else state


def within(event: Event, other: Event) -> bool:
    """Whether an event happened in the same iteration of the loops around another."""
    return event.loops[: len(other.loops)] == other.loops


def together(event: Event, other: Event) -> bool:
    """Whether two events happened in the same iteration of the loops that are around both."""
    for (file, line, iteration), (other_file, other_line, other_iteration) in zip(event.loops, other.loops, strict=False):
        if (file, line) != (other_file, other_line):
            break
        if iteration != other_iteration:
            return False
    return True


def nearby(events: list[Event], event: Event) -> list[Event]:
    """The events of the same iteration; `events` are in order, and no iteration has more than so many."""
    middle = bisect_left(events, event.n, key=lambda e: e.n)
    return [e for e in events[max(0, middle - NEARBY) : middle + NEARBY] if together(e, event)]


def epochs_seen(stream: Stream, optimizer: int | None = None) -> bool:
    """Whether the run came to a second epoch of an optimizer (or of any), or to its end: what happens once an epoch had its turn."""
    if stream.over:
        return True
    steps = stream.of("step", where=lambda e: optimizer in (None, e.object))
    trained = {loader for e in steps for loader, _, _ in e.batches}
    passes = [m.facts["object"] for m in stream.marked("pass")]
    if trained:
        return any(passes.count(loader) > 1 for loader in trained)
    return any(len(e.loops) > 1 and e.loops[-2][2] > 0 for e in steps)
