"""Mixed precision: scalers and autocast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from looplint.runtime.evidence.claim import GRADIENTS, Claim, Observation
from looplint.runtime.evidence.signals import Signal, crashes, share
from looplint.runtime.evidence.witness import Tally, Witness, fails, mostly
from looplint.runtime.streams.stream import Event, Stream


class _Gradients(NamedTuple):
    """What a clip or a step meets.

    Attributes:
        by_scaler: whether the loss of the last backward went through a scaler, enabled or not.
        scaled: whether they have not been unscaled since.
        enabled: whether that scaler is on. Where it is off the order of the calls is the same, but a script may leave out what needs a scaler.
    """

    by_scaler: bool
    scaled: bool
    enabled: bool


def _scaled(stream: Stream) -> Iterator[tuple[Event, _Gradients]]:
    """Each clip and step, with the gradients that it meets."""
    last: dict[int, Event] = {}
    unscaled: set[int] = set()
    for event in stream.events:
        if event.kind == "backward":
            filled = event.facts.get("filled", ())
            last.update(dict.fromkeys(filled, event))
            unscaled -= set(filled)
        elif event.kind == "unscale":
            unscaled.add(event.object)
        elif event.kind in ("clip", "step"):
            holders = event.facts.get("holders", ()) if event.kind == "clip" else (event.object,)
            met = {n: last[n] for n in holders if n in last and "scaler" in last[n].facts}
            yield event, _Gradients(bool(met), any(n not in unscaled for n in met), any("scaler_off" not in e.facts for e in met.values()))


def clipped_while_scaled(run: Stream, right: Stream) -> Signal:
    scaled, found, clips = False, 0, 0
    for event in run.events:
        if event.kind == "backward":
            scaled = "scaler" in event.facts
        elif event.kind == "unscale":
            scaled = False
        elif event.kind == "clip":
            clips += 1
            found += scaled
    return Signal(found > 0, share(found, clips), f"{found} of {clips} clips met gradients that were still scaled")


def where_clipped_while_scaled(stream: Stream) -> Iterator[Witness]:
    """LL601."""
    tally, off = Tally(), set[tuple[str, int]]()
    for event, met in _scaled(stream):
        if event.kind == "clip":
            tally.add(event.stack, met.scaled, event.object, decisive=met.by_scaler and met.enabled)
            if not met.enabled:
                off.add((event.file, event.line))
    for witness in tally.witnesses("LL601", lambda c: f"{c.bad} of {c.whole} clips here met gradients that were still scaled", mostly(1)):
        switched_off = (witness.file, witness.line) in off
        text = witness.text + "; the scaler was off here, and the order of the calls shows it" * switched_off * bool(witness.bad)
        yield replace(witness, text=text, alone=witness.alone and not switched_off)


def never_updated(run: Stream, right: Stream) -> Signal:
    steps = [e for e in run.of("step") if "scaler" in e.facts]
    updates = len(run.of("update"))
    return Signal(len(steps) > 0 and updates == 0, float(updates), f"{len(steps)} scaler steps, {updates} updates; the run {run.outcome}")


def where_never_updated(stream: Stream) -> Iterator[Witness]:
    """LL602: steps through a scaler with no update before that optimizer's next, or before the end."""
    tally = Tally()
    waiting: dict[tuple[int, int], Event] = {}  # by scaler and optimizer
    for event in stream.events:
        if event.kind == "step" and event.facts.get("scaler"):
            key = (event.facts["scaler"], event.object)
            if key in waiting:
                tally.add(waiting[key].stack, True, event.object)
            waiting[key] = event
        elif event.kind == "update":
            for key in [k for k in waiting if k[0] == event.object]:
                tally.add(waiting.pop(key).stack, False)
    message = (stream.end.get("error") or {}).get("message", "")
    failed = "update()" in message or "unscale_() is being called after step()" in message
    ended = {(mark.facts["scaler"], mark.facts["optimizer"]) for mark in stream.marked("scaler failed")[-1:] if failed}
    for key, event in waiting.items():
        if key in ended or stream.over:
            tally.add(event.stack, True, event.object)
    yield from tally.witnesses(
        "LL602", lambda c: f"after {c.bad} of {c.whole} steps here the scaler was not updated", mostly(1), harm=failed
    )


def half_unscaled(run: Stream, right: Stream) -> Signal:
    half = {e.n for e in run.of("forward") if e.facts.get("autocast") == "float16"}
    found = sum(bool(half & set(e.facts.get("forwards", ()))) and "scaler" not in e.facts for e in run.of("backward"))
    return Signal(found > 0, float(found), f"{found} backwards went unscaled through float16 forwards")


def where_half_unscaled(stream: Stream) -> Iterator[Witness]:
    """LL603."""
    tally = Tally()
    half = {e.n for e in stream.of("forward") if e.facts.get("autocast") == "float16"}
    for event in stream.of("backward"):
        through_half = bool(half & set(event.facts.get("forwards", ())))
        tally.add(event.stack, through_half and "scaler" not in event.facts, decisive=through_half and "scaler_off" not in event.facts)
    yield from tally.witnesses("LL603", lambda c: f"{c.bad} of {c.whole} backwards here went unscaled through float16 forwards", mostly(1))


def scaler_bypassed(run: Stream, right: Stream) -> Signal:
    scaled, found, steps = False, 0, 0
    for event in run.events:
        if event.kind == "backward":
            scaled = "scaler" in event.facts
        elif event.kind == "step":
            steps += 1
            found += scaled and "scaler" not in event.facts
    return Signal(found > 0, share(found, steps), f"{found} of {steps} steps on a scaled loss's gradients bypassed the scaler")


def where_bypassed(stream: Stream) -> Iterator[Witness]:
    """LL604. Behind an unscale_() too: the scaler would leave the step out where gradients overflowed."""
    tally, seldom = Tally(), set[tuple[str, int]]()
    for event, met in _scaled(stream):
        if event.kind == "step":
            bad = met.by_scaler and "scaler" not in event.facts
            tally.add(event.stack, bad, event.object, decisive=met.by_scaler and met.enabled)
            if bad and not (met.scaled and met.enabled):
                seldom.add((event.file, event.line))
    for witness in tally.witnesses(
        "LL604", lambda c: f"{c.bad} of {c.whole} steps here used a scaled loss's gradients without the scaler", mostly(1)
    ):
        yield replace(witness, alone=witness.alone and (witness.file, witness.line) not in seldom)


CLAIMS = (
    Claim(
        "LL601",
        clipped_while_scaled,
        Observation(
            where_clipped_while_scaled,
            needs="a clip of gradients of a loss that a scaler scaled",
            confirms="a clip between the backward of a loss that went through a scaler and its unscaling",
            channels=(*GRADIENTS, "scalers", "clips"),
            cuda=True,
        ),
    ),
    Claim(
        "LL602",
        never_updated,
        Observation(
            where_never_updated,
            needs="a step through a scaler, and an update or another step after it",
            confirms="a step through a scaler, and no update before the next or the end",
            channels=("steps", "scalers"),
            turns=1,
        ),
    ),
    Claim(
        "LL603",
        half_unscaled,
        Observation(
            where_half_unscaled,
            needs="a backward through a forward in float16",
            confirms="a backward of a loss that went through no scaler, through a forward in float16",
            channels=("forwards", "backwards", "scalers", "autocasts"),
            cuda=True,
        ),
    ),
    Claim(
        "LL604",
        scaler_bypassed,
        Observation(
            where_bypassed,
            needs="a step on gradients of a loss that a scaler scaled",
            confirms="a step past the scaler on gradients of a loss that went through it",
            channels=(*GRADIENTS, "scalers"),
            cuda=True,
        ),
    ),
    Claim(
        "LL605",
        crashes("ValueError", "Attempting to unscale FP16 gradients"),
        Observation(
            fails("LL605", "Attempting to unscale FP16 gradients"),
            needs="a scaler that gets at gradients",
            confirms="the ValueError of a scaler that finds gradients in float16",
            channels=(),
            harm=True,
        ),
    ),
)
