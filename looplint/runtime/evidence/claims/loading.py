"""What it costs to load batches and to copy them to an accelerator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.questions import trained_batches
from looplint.runtime.evidence.signals import Measure, Signal
from looplint.runtime.evidence.witness import Count, Judge, Tally, Witness
from looplint.runtime.streams.stream import Mark, Stream


def made_in_process(run: Stream, right: Stream) -> Signal:
    """LP001: the training batches of loaders without workers."""

    def count(stream: Stream) -> tuple[int, int]:
        batches = trained_batches(stream)
        return sum(stream.things[loader].facts.get("workers") == 0 for loader, _, _ in batches), len(batches)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(mine > others, float(mine), f"{mine} of {whole} training batches were made in the training process (repaired: {others})")


def workers_started(run: Stream, right: Stream) -> Signal:
    """LP008: worker processes, against those that one pass needs."""

    def count(stream: Stream) -> tuple[int, int]:
        passes = stream.marked("pass")
        return sum(m.facts.get("started", 0) for m in passes), sum(
            bool(stream.things[m.facts["object"]].facts.get("workers")) for m in passes
        )

    (mine, passes), (others, _) = count(run), count(right)
    return Signal(mine > others, float(mine), f"{mine} worker processes were started for {passes} passes (repaired: {others})")


def where_built(code: str, words: str, bad: Callable[[Stream, int], bool | None]) -> Judge:
    """Judges the places where loaders are built; `bad` returns None for a loader about which the run shows nothing."""

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
    workers = stream.things[loader].facts.get("workers")
    return workers == 0 if trained and workers is not None else None


def _workers_anew(stream: Stream, loader: int) -> bool | None:
    workers = stream.things[loader].facts.get("workers")
    started = [m.facts.get("started", 0) for m in stream.marked("pass") if m.facts["object"] == loader]
    return sum(started) > workers if workers and len(started) > 1 else None


STAGED = "were non-blocking, but from memory that is not pinned"


WAITED_FOR = "from pinned memory were waited for"


def is_staged(mark: Mark) -> bool:
    """Whether a copy that is not to wait has to be staged first."""
    return not mark.facts["pinned"] and not mark.facts["waits"]


def is_waited_for(mark: Mark) -> bool:
    """Whether a copy that could go on alone is waited for."""
    return bool(mark.facts["pinned"] and mark.facts["waits"])


def copied(test: Callable[[Mark], bool], words: str) -> Measure:
    """A claim on the copies of batches to an accelerator (LP002, LP003)."""

    def signal(run: Stream, right: Stream) -> Signal:
        mine, others = (sum(test(m) for m in s.marked("copy")) for s in (run, right))
        return Signal(mine > others, float(mine), f"{mine} of {len(run.marked('copy'))} copies {words} (repaired: {others})")

    return signal


def where_copied(code: str, words: str, bad: Callable[[Mark], bool]) -> Judge:
    """Places that copy batches to an accelerator."""

    def judge(stream: Stream) -> Iterator[Witness]:
        tally = Tally()
        for mark in stream.marked("copy"):
            tally.add(mark.stack, bad(mark))
        yield from tally.witnesses(code, partial(_copies_said, words))

    return judge


def _copies_said(words: str, count: Count) -> str:
    return f"{count.bad} of {count.whole} copies here {words}"


CLAIMS = (
    Claim(
        "LP001",
        made_in_process,
        Observation(
            where_built("LP001", "made the training batches in the training process", _in_process),
            needs="a backward on a batch of the loader",
            confirms="training batches made in the training process",
            channels=("loaders", "backwards"),
        ),
    ),
    Claim(
        "LP002",
        copied(is_staged, STAGED),
        Observation(
            where_copied("LP002", STAGED, is_staged),
            needs="a copy to an accelerator",
            confirms="a copy that is not to wait, from memory that is not pinned",
            channels=("costs", "loaders"),
            cuda=True,
        ),
        accelerator=True,
    ),
    Claim(
        "LP003",
        copied(is_waited_for, WAITED_FOR),
        Observation(
            where_copied("LP003", WAITED_FOR, is_waited_for),
            needs="a copy to an accelerator",
            confirms="a copy from pinned memory that is waited for",
            channels=("costs", "loaders"),
            cuda=True,
        ),
        accelerator=True,
    ),
    Claim(
        "LP008",
        workers_started,
        Observation(
            where_built("LP008", "started workers anew for a later epoch", _workers_anew),
            needs="two passes over a loader with workers",
            confirms="workers started anew for a later pass",
            channels=("loaders",),
        ),
    ),
)
