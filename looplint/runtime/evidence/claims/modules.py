"""Conversions, and how modules are called and built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.signals import Signal, crashes
from looplint.runtime.evidence.witness import Tally, Witness, fails
from looplint.runtime.streams.stream import Stream


def dropped_casts(run: Stream, right: Stream) -> Signal:
    def changing(stream: Stream) -> list[str]:
        return [" to ".join(m.facts["forms"]) for m in stream.marked("cast") if m.facts["changes"]]

    found, whole = changing(run), len(run.marked("cast"))
    kinds = f" ({', '.join(sorted(set(found))[:3])})" if found else ""
    return Signal(
        bool(found) and not changing(right),
        float(len(found)),
        f"{len(found)} of {whole} conversions gave another tensor, which was dropped{kinds}",
    )


def where_casts(stream: Stream) -> Iterator[Witness]:
    """LL503: conversions that returned another tensor, at the lines where static findings report that it is not used."""
    tally, cuda = Tally(), bool(stream.gpu)
    for mark in stream.marked("cast"):
        # Where there is one device only, a tensor is always where it is to go.
        tally.add(mark.stack, mark.facts["changes"], decisive=cuda or mark.facts["method"] not in ("to", "cuda", "cpu", "type_as"))
    changed = sorted({" to ".join(m.facts["forms"]) for m in stream.marked("cast") if m.facts["changes"]})
    kinds = f" ({', '.join(changed[:3])})" if changed else ""
    yield from tally.witnesses(
        "LL503", lambda c: f"{c.bad} of {c.whole} conversions here gave another tensor, which was dropped{kinds if c.bad else ''}"
    )


def model_forwards(run: Stream, right: Stream) -> Signal:
    """A forward that is called directly is no call of its module, only of its submodules."""

    def count(stream: Stream) -> Counter[str]:
        called = stream.of("forward", where=lambda e: not e.facts.get("direct"))
        return Counter(stream.things[e.object].kind for e in called if stream.things[e.object].facts.get("parameters"))

    mine, others = count(run), count(right)
    passed_by = {kind: number - mine[kind] for kind, number in others.items() if number > mine[kind]}
    names = ", ".join(f"{number} of {others[kind]} calls of {kind}" for kind, number in passed_by.items())
    hooks = max((m.facts["hooks"] for m in run.marked("direct")), default=0)
    unrun = f"; {hooks} hook{'s' if hooks != 1 else ''} of it did not run" if hooks else ""
    direct = len(run.marked("direct"))
    text = f"{names or f'{direct} forwards' if direct else 'no forward'} went past the module's call{unrun}"
    return Signal(bool(passed_by) or hooks > 0, float(sum(passed_by.values()) or direct), text)


def where_direct_forwards(stream: Stream) -> Iterator[Witness]:
    """LL504: forwards of modules called directly."""
    tally = Tally()
    for mark in stream.marked("direct"):
        tally.add(mark.stack, True)
    hooks = max((m.facts["hooks"] for m in stream.marked("direct")), default=0)
    words = f"; {hooks} hook{'s' if hooks != 1 else ''} of the module did not run" if hooks else "; the module has no hooks"
    yield from tally.witnesses("LL504", lambda c: f"{c.whole} forwards here went past the module's call{words}", harm=hooks > 0)


CLAIMS = (
    Claim(
        "LL503",
        dropped_casts,
        Observation(
            where_casts,
            needs="a conversion to another type, or to one of two devices",
            confirms="a conversion that gives another tensor",
            channels=("probes",),
            cuda=True,
            probed=True,
        ),
    ),
    Claim(
        "LL504",
        model_forwards,
        Observation(
            where_direct_forwards,
            needs="a direct forward",
            confirms="a call of forward() itself",
            channels=("probes",),
            probed=True,
        ),
    ),
    Claim(
        "LL506",
        crashes("AttributeError", "before Module.__init__() call"),
        Observation(
            fails("LL506", "before Module.__init__() call"),
            needs="a module that is used before it is built",
            confirms="the AttributeError of a module that is not built yet",
            channels=(),
            harm=True,
        ),
    ),
)
