"""What a run tells about costs (LP and LL403): what its batches wait for, and what is done again. On a CPU it tells that it happens, not what it costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

from looplint.runtime.evidence.claims_costs import (
    STAGED,
    WAITED_FOR,
    is_staged,
    is_waited_for,
    names_old_amp,
    trained_batches,
    updates_per_step,
)
from looplint.runtime.evidence.witness import Count, Judge, Tally, Witness, anywhere
from looplint.runtime.streams.stream import Mark, Stream


def in_each_batch(code: str, kinds: Collection[str], words: str) -> Judge:
    """Places that do something in each batch of the training. (A text by `%` reads the number and formats that.)"""

    def judge(stream: Stream) -> Iterator[Witness]:
        batches = trained_batches(stream)
        tally, met = Tally(), dict[tuple[str, int], set[tuple[int, int, int]]]()
        for mark in stream.marks:
            if mark.kind in kinds and mark.stack:
                place = (mark.stack[-1].file, mark.stack[-1].line)
                here = batches & {tuple(position) for position in mark.facts["loops"]}
                tally.add(mark.stack, bool(here - met.get(place, set())))
                met.setdefault(place, set()).update(here)
        for place, count in tally.places.items():
            seldom = count.bad <= 0.5 * len(batches)
            text = f"{count.bad} of {len(batches)} training batches {words} here"
            yield Witness(code, *place, frozenset(count.frames), 0 if seldom else count.bad, count.whole, text, told=int(len(batches) > 1))

    return judge


def _built(code: str, words: str, bad: Callable[[Stream, int], bool | None]) -> Judge:
    """The places where loaders are built; `bad` gives None for a loader of which the run cannot tell."""

    def judge(stream: Stream) -> Iterator[Witness]:
        tally = Tally()
        for mark in stream.marked("loader"):
            judged = bad(stream, mark.facts["object"])
            if judged is not None:
                tally.add(mark.stack, judged, mark.facts["object"])
        yield from tally.witnesses(code, lambda c: f"{c.bad} of {c.whole} loaders built here {words}")

    return judge


def _in_process(stream: Stream, loader: int) -> bool | None:
    trained = any(loader == number for number, _, _ in trained_batches(stream))
    return not stream.things[loader].facts["workers"] if trained else None


def _workers_anew(stream: Stream, loader: int) -> bool | None:
    workers = stream.things[loader].facts["workers"]
    started = [m.facts.get("started", 0) for m in stream.marked("pass") if m.facts["object"] == loader]
    return sum(started) > workers if workers and len(started) > 1 else None


def filled_with_zeros(stream: Stream) -> Iterator[Witness]:
    """LP006: clears that leave gradients in memory."""
    tally = Tally()
    for event in stream.of("clear"):
        tally.add(event.stack, bool(event.facts.get("kept")), event.object, told=event.facts.get("grads", 1) > 0)
    yield from tally.witnesses("LP006", lambda c: f"{c.bad} of {c.whole} clears here filled gradients with zeros and kept them in memory")


def deprecations(stream: Stream) -> Iterator[Witness]:
    """LP007: warnings that name the old functions; Python shows each once a place."""
    tally = Tally()
    for mark in stream.marked("warning"):
        if names_old_amp(mark):
            tally.add(mark.stack, True)
    yield from tally.witnesses("LP007", lambda c: "torch warned here, with a FutureWarning, that the name is deprecated")


def statistics_per_step(stream: Stream) -> Iterator[Witness]:
    """LP009: batches that a layer takes into its running statistics for each step."""
    if stream.marked("statistics") and stream.of("step"):
        most = updates_per_step(stream)
        told = len(stream.of("step")) > 1
        yield anywhere("LP009", most > 1.5, f"running statistics were updated {most:.2f} times for each step", told)


def _copies(code: str, words: str, bad: Callable[[Mark], bool]) -> Judge:
    """Places that copy batches to an accelerator."""

    def judge(stream: Stream) -> Iterator[Witness]:
        tally = Tally()
        for mark in stream.marked("copy"):
            tally.add(mark.stack, bad(mark))
        yield from tally.witnesses(code, partial(_copies_said, words))

    return judge


def _copies_said(words: str, count: Count) -> str:
    return f"{count.bad} of {count.whole} copies here {words}"


loader_without_workers = _built("LP001", "made the training batches in the training process", _in_process)
workers_not_persistent = _built("LP008", "started workers anew for a later epoch", _workers_anew)
staged = _copies("LP002", STAGED, is_staged)
waited_for = _copies("LP003", WAITED_FOR, is_waited_for)
