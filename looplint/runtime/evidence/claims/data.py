"""The order of the data, seeds, and the flags of cuDNN."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.signals import Signal
from looplint.runtime.evidence.witness import Tally, Witness, anywhere
from looplint.runtime.streams.stream import Stream


def in_order(run: Stream, right: Stream) -> Signal:
    trained = {loader for e in run.of("backward") for loader, _, _ in e.batches}
    names = [f"{run.things[n].name} ({run.things[n].facts.get('sampler')})" for n in sorted(trained)]
    found = [n for n in trained if run.things[n].facts.get("sampler") == "SequentialSampler"]
    return Signal(bool(found), float(len(found)), f"training batches came from {', '.join(names) or 'no loader'}")


def where_in_order(stream: Stream) -> Iterator[Witness]:
    """LL901: loaders that were trained on, and their samplers."""
    tally, trained = Tally(), {loader for e in stream.of("backward") for loader, _, _ in e.batches}
    for mark in stream.marked("loader"):
        number = mark.facts["object"]
        if number in trained:
            tally.add(mark.stack, stream.things[number].facts.get("sampler") == "SequentialSampler", number)
    yield from tally.witnesses(
        "LL901", lambda c: f"{c.bad} of {c.whole} training loaders built here gave their batches in the stored order"
    )


def both_flags(run: Stream, right: Stream) -> Signal:
    flags = run.end.get("flags", {})
    return Signal(
        bool(flags.get("benchmark") and flags.get("deterministic")),
        None,
        f"benchmark {flags.get('benchmark')}, deterministic {flags.get('deterministic')}",
    )


def where_both_flags(stream: Stream) -> Iterator[Witness]:
    """LL902."""
    if flags := stream.end.get("flags"):
        bad = bool(flags.get("benchmark") and flags.get("deterministic"))
        # A flag that is off at the end does not show that the line which sets it ran: that may test for a GPU first.
        text = f"the run ended with benchmark {flags.get('benchmark')} and deterministic {flags.get('deterministic')}"
        yield anywhere("LL902", bad, text, decisive=False)


def epoch_never_set(run: Stream, right: Stream) -> Signal:
    again = [(len(drawn), len(set(drawn))) for drawn in _epochs(run).values() if len(drawn) > 1]
    passes, orders = max(again, key=lambda each: each[0] - each[1], default=(0, 0))
    return Signal(orders == 1, float(orders), f"{passes} passes over a distributed sampler, in the orders of {orders} epochs")


def _epochs(stream: Stream) -> dict[int, list[int]]:
    """By distributed sampler that shuffles: the epoch whose order each pass drew."""
    found: dict[int, list[int]] = {}
    for mark in stream.marked("pass"):
        sampler = mark.facts.get("sampler")
        if sampler and stream.things[sampler].facts.get("shuffles"):
            found.setdefault(sampler, []).append(mark.facts["epoch"])
    return found


def where_epoch_never_set(stream: Stream) -> Iterator[Witness]:
    """LL903: distributed samplers that shuffle, and whose passes all draw the order of one epoch."""
    tally, epochs = Tally(), _epochs(stream)
    for mark in stream.marked("sampler"):
        number = mark.facts["object"]
        drawn = epochs.get(number, [])
        tally.add(mark.stack, len(drawn) > 1 and len(set(drawn)) == 1, number, decisive=len(drawn) > 1)
    yield from tally.witnesses(
        "LL903", lambda c: f"{c.bad} of {c.whole} samplers built here drew the order of one epoch in all their passes"
    )


def seeded_late(run: Stream, right: Stream) -> Signal:
    seeds = run.marked("seed")
    drawn = seeds[0].facts["parameters"] if seeds else 0
    return Signal(drawn > 0, float(drawn), f"{drawn} parameters were there when the first seed was set")


def where_seeded_late(stream: Stream) -> Iterator[Witness]:
    """LL904: the parameters that were there when the first seed was set."""
    tally, first = Tally(), next(iter(stream.marked("seed")), None)
    if first is not None:
        drawn = first.facts["parameters"]
        tally.add(first.stack, drawn > 0)
        yield from tally.witnesses("LL904", lambda c: f"{drawn} parameters were there when the first seed was set here")


def _left_out(stream: Stream) -> dict[int, int]:
    """How many items each pass leaves out over a loader that some forward in eval mode took batches of, and no backward."""
    trained = {loader for e in stream.of("backward") for loader, _, _ in e.batches}
    used = {loader for e in stream.of("forward") if not e.facts["training"] for loader, _, _ in e.batches}
    return {n: stream.things[n].facts["dropped"] for n in used - trained if stream.things[n].facts.get("dropped") is not None}


def leaves_out(run: Stream, right: Stream) -> Signal:
    mine, others = sum(_left_out(run).values()), sum(_left_out(right).values())
    return Signal(
        mine > others, float(mine), f"loaders on which nothing is trained left out {mine} items in each pass (repaired: {others})"
    )


def where_left_out(stream: Stream) -> Iterator[Witness]:
    """LL907: loaders that were evaluated, and not trained on, and the items that they dropped."""
    tally, found = Tally(), _left_out(stream)
    for mark in stream.marked("loader"):
        number = mark.facts["object"]
        if number in found:
            tally.add(mark.stack, found[number] > 0, number)
    yield from tally.witnesses("LL907", lambda c: f"{c.bad} of {c.whole} loaders built here and only evaluated left out items in each pass")


CLAIMS = (
    Claim(
        "LL901",
        in_order,
        Observation(
            where_in_order,
            needs="a backward on a batch of the loader",
            confirms="training batches in the stored order",
            channels=("loaders", "backwards"),
        ),
    ),
    Claim(
        "LL902",
        both_flags,
        Observation(
            where_both_flags,
            needs="an end with both flags on",
            confirms="both flags on at the end",
            channels=("final values",),
            cuda=True,
        ),
    ),
    Claim(
        "LL903",
        epoch_never_set,
        Observation(
            where_epoch_never_set,
            needs="two passes over the sampler",
            confirms="a sampler that draws the order of one epoch in all its passes",
            channels=("loaders",),
        ),
    ),
    Claim(
        "LL904",
        seeded_late,
        Observation(
            where_seeded_late,
            needs="a seed",
            confirms="parameters that are there before the first seed",
            channels=("seeds",),
        ),
    ),
    Claim(
        "LL907",
        leaves_out,
        Observation(
            where_left_out,
            needs="a forward in eval mode on a batch of the loader",
            confirms="a pass that leaves out items",
            channels=("forwards", "backwards", "loaders"),
        ),
    ),
)
