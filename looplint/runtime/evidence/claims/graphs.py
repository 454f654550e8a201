"""Autograd graphs that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from looplint.runtime.evidence.claim import GRADIENTS, Claim, Observation
from looplint.runtime.evidence.questions import most_alive
from looplint.runtime.evidence.signals import Signal
from looplint.runtime.evidence.witness import Tally, Witness, mostly
from looplint.runtime.streams.stream import Stream


def retained(run: Stream, right: Stream) -> Signal:
    mine, others = most_alive(run, "held_bytes"), most_alive(right, "held_bytes")
    retained = sum(bool(e.facts.get("retain_graph")) for e in run.of("backward"))
    text = f"{retained} backwards kept their graph; up to {mine:,} bytes of saved tensors outlive the iteration (repaired: {others:,})"
    return Signal(retained > 0 and mine > 1.5 * others, float(mine), text)


def where_retained(stream: Stream) -> Iterator[Witness]:
    """LL110: graphs that were kept for another backward which never came."""
    tally = Tally()
    backwards = stream.of("backward")
    uses = Counter(n for e in backwards for n in e.facts.get("forwards", ()))
    uses.update(n for m in stream.marked("grad") for n in m.facts["forwards"])
    for event in backwards:
        kept = bool(event.facts.get("retain_graph")) and not event.facts.get("create_graph")
        # What a backward came through is known by the modules; where there are none, another one may come the same way.
        through = event.facts.get("forwards", ())
        tally.add(event.stack, kept and bool(through) and all(uses[n] == 1 for n in through), decisive=bool(through) or not kept)
    yield from tally.witnesses("LL110", lambda c: f"{c.bad} of {c.whole} backwards here kept a graph that no other backward used", mostly())


def nodes_grow(run: Stream, right: Stream) -> Signal:
    mine, others = most_alive(run, "nodes"), most_alive(right, "nodes")
    shown = mine > 2 * max(others, 1) and mine > others + 10
    return Signal(shown, float(mine), f"up to {mine:,} autograd nodes were alive between iterations (repaired: {others:,})")


def where_kept_graphs(stream: Stream) -> Iterator[Witness]:
    """LL401 and LL402: values that still carry their graph where they are kept; seen by probes at the lines of static findings, and by logger hooks."""
    kept = Tally()
    for event in stream.of("keep"):
        if event.facts["tensors"]:
            kept.add(event.stack, event.facts["graph"] > 0)
    for mark in stream.marked("probe"):
        kept.add(mark.stack, mark.facts["graph"] > 0)
    nodes = [int(m.facts["nodes"]) for m in stream.marked("graph")]
    grown = f"; {max(nodes):,} autograd nodes were alive between iterations at most" if nodes else ""
    for code in ("LL401", "LL402"):
        yield from kept.witnesses(code, lambda c: f"{c.bad} of {c.whole} values kept here carried their autograd graph{grown}")


CLAIMS = (
    Claim(
        "LL110",
        retained,
        Observation(
            where_retained,
            needs="a backward",
            confirms="a graph that is kept, and no second backward through it",
            channels=GRADIENTS,
            compared=True,
        ),
    ),
    Claim(
        "LL401",
        nodes_grow,
        Observation(
            where_kept_graphs,
            needs="a value that is kept",
            confirms="a value with its graph, where it is kept",
            channels=("probes", "loggers"),
            compared=True,
            probed=True,
        ),
    ),
    Claim(
        "LL402",
        nodes_grow,
        Observation(
            where_kept_graphs,
            needs="a value that is kept",
            confirms="a value with its graph, where it is kept",
            channels=("probes", "loggers"),
            compared=True,
            probed=True,
        ),
    ),
)
