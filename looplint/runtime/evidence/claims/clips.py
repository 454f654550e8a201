"""Clips of gradients that are not there."""

from __future__ import annotations

import math
from collections.abc import Iterator

from looplint.runtime.evidence.claim import GRADIENTS, Claim, Observation
from looplint.runtime.evidence.questions import concerns, nearby, optimizers, states, steps_of
from looplint.runtime.evidence.signals import Signal, per_optimizer, share
from looplint.runtime.evidence.witness import Tally, Witness, mostly
from looplint.runtime.streams.stream import Event, Stream, Thing


def beyond_the_clip(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    limit: float | None = None
    kind, over, most, steps = "norm", 0, 0.0, 0
    clips = [e for e in run.of("clip") if concerns(e, optimizer) or (not e.facts["holders"] and not e.facts["grads"])]
    for clip in clips[:1]:
        kind = "norm" if clip.facts["function"] == "clip_grad_norm_" else "largest"
        limit = clip.facts.get("max_norm" if kind == "norm" else "clip_value")
    if limit is None:
        return Signal(False, None, f"{optimizer.name} is not clipped")
    for step in steps_of(run, optimizer):
        value = step.facts.get(kind)
        if value is not None:
            steps += 1
            over += value > limit * 1.001
            most = max(most, value / limit if limit else 0.0)
    what = "gradient norm" if kind == "norm" else "gradient entry"
    return Signal(
        over > 0, most, f"{over} of {steps} measured steps used a {what} above the limit of {limit:g} (up to {most:.3g} times it)"
    )


def where_clipped_without_gradients(stream: Stream) -> Iterator[Witness]:
    """LL103 and LL104: clips of gradients that are not there yet, or that a step has used."""
    early, late = Tally(), Tally()
    met = {o.id: {e.n: state for e, state in states(stream, o)} for o in optimizers(stream)}
    steps, backwards = stream.of("step"), stream.of("backward")
    stepped = {e.object for e in steps}
    for event in stream.of("clip", where=_limits):
        holders = stepped.intersection(event.facts["holders"])
        if not holders:
            continue
        found = {met[n].get(event.n, "empty") for n in holders if n in met}
        by_hand = event.facts["grads"] > 0 and "applied" not in found and event.facts.get("norm") != 0.0
        hollow = "filled" not in found and not by_hand
        own = [e for e in nearby(backwards, event) if holders.intersection(e.facts.get("filled", ()))]
        used = [e for e in nearby(steps, event) if e.object in holders and e.n < event.n]
        early.add(event.stack, hollow and bool(own) and all(e.n > event.n for e in own), decisive=bool(own) or not hollow)
        late.add(event.stack, hollow and bool(used) and any(e.n < used[-1].n for e in own), decisive=bool(own) or not hollow)
    yield from early.witnesses("LL103", lambda c: f"{c.bad} of {c.whole} clips here came before the gradients were computed", mostly())
    yield from late.witnesses("LL104", lambda c: f"{c.bad} of {c.whole} clips here came after the step had used the gradients", mostly())


def clips_of_nothing(run: Stream, right: Stream) -> Signal:
    mine, others = run.of("clip", where=_given_nothing), right.of("clip", where=_given_nothing)
    whole = len(run.of("clip"))
    return Signal(
        len(mine) > len(others),
        share(len(mine), whole),
        f"{len(mine)} of {whole} clips were given no parameters (repaired: {len(others)})",
    )


def where_clipped_nothing(stream: Stream) -> Iterator[Witness]:
    """LL113: clips that were given no parameters. The first at a place may be the one that goes through the iterator."""
    tally = Tally()
    met: set[object] = set()
    for event in stream.of("clip", where=_limits):
        tally.add(event.stack, _given_nothing(event), decisive=event.stack in met)
        met.add(event.stack)
    yield from tally.witnesses("LL113", lambda c: f"{c.bad} of {c.whole} clips here were given no parameters")


def _given_nothing(clip: Event) -> bool:
    return clip.facts.get("given") == 0


def _limits(clip: Event) -> bool:
    """Whether a clip could change anything: an infinite limit only measures the norm."""
    limit = clip.facts.get("max_norm", clip.facts.get("clip_value"))
    return limit is not None and math.isfinite(limit)


CLAIMS = (
    Claim(
        "LL103",
        per_optimizer(beyond_the_clip),
        Observation(
            where_clipped_without_gradients,
            needs="a clip and a backward in the same iteration",
            confirms="a clip of no gradients, whose backward comes after it",
            channels=(*GRADIENTS, "clips"),
            turns=1,
            compared=True,
            alike="LL104",
        ),
    ),
    Claim(
        "LL104",
        per_optimizer(beyond_the_clip),
        Observation(
            where_clipped_without_gradients,
            needs="a clip and a backward in the same iteration",
            confirms="a clip of no gradients, whose step came before it",
            channels=(*GRADIENTS, "clips"),
            turns=1,
            compared=True,
            alike="LL103",
        ),
    ),
    Claim(
        "LL113",
        clips_of_nothing,
        Observation(
            where_clipped_nothing,
            needs="a second clip",
            confirms="a clip that is given no parameters",
            channels=("clips",),
            harm=True,
        ),
    ),
)
