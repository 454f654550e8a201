"""What a run tells about mixed precision, losses, checkpoints and data (LL5 to LL9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from looplint.runtime.evidence.claims_state import GRAPHLESS, first_steps, given_again, given_states, goes_on_anew, restored, states_left
from looplint.runtime.evidence.witness import Count, Judge, Tally, Witness, anywhere, mostly
from looplint.runtime.streams.stream import Event, Stream


class _Gradients(NamedTuple):
    """What a clip or a step meets.

    Attributes:
        by_scaler: whether the last backward was that of a loss which went through a scaler, be that switched on or off.
        scaled: whether they are those of such a loss still: nothing has unscaled them.
        enabled: whether that scaler is on. The order of the calls is the same where it is off; but a script may leave out there what takes a scaler.
    """

    by_scaler: bool
    scaled: bool
    enabled: bool


def _scaled(stream: Stream) -> Iterator[tuple[Event, _Gradients]]:
    """Each clip and step, with what it meets."""
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


def clipped_while_scaled(stream: Stream) -> Iterator[Witness]:
    """LL601."""
    tally, off = Tally(), set[tuple[str, int]]()
    for event, met in _scaled(stream):
        if event.kind == "clip":
            tally.add(event.stack, met.scaled, event.object, told=met.by_scaler and met.enabled)
            if not met.enabled:
                off.add((event.file, event.line))
    for witness in tally.witnesses("LL601", lambda c: f"{c.bad} of {c.whole} clips here met gradients that were still scaled", mostly(1)):
        switched_off = (witness.file, witness.line) in off
        text = witness.text + "; the scaler was off here, and the order of the calls tells" * switched_off * bool(witness.bad)
        yield replace(witness, text=text, alone=witness.alone and not switched_off)


def bypassed(stream: Stream) -> Iterator[Witness]:
    """LL604. Behind an unscale_() too: the scaler would leave the step out where gradients overflowed."""
    tally, seldom = Tally(), set[tuple[str, int]]()
    for event, met in _scaled(stream):
        if event.kind == "step":
            bad = met.by_scaler and "scaler" not in event.facts
            tally.add(event.stack, bad, event.object, told=met.by_scaler and met.enabled)
            if bad and not (met.scaled and met.enabled):
                seldom.add((event.file, event.line))
    for witness in tally.witnesses(
        "LL604", lambda c: f"{c.bad} of {c.whole} steps here used a scaled loss's gradients without the scaler", mostly(1)
    ):
        yield replace(witness, alone=witness.alone and (witness.file, witness.line) not in seldom)


def never_updated(stream: Stream) -> Iterator[Witness]:
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
    for event in waiting.values():
        if failed or stream.over:
            tally.add(event.stack, True, event.object)
    yield from tally.witnesses(
        "LL602", lambda c: f"after {c.bad} of {c.whole} steps here the scaler was not updated", mostly(1), harm=failed
    )


def half_unscaled(stream: Stream) -> Iterator[Witness]:
    """LL603."""
    tally = Tally()
    half = {e.n for e in stream.of("forward") if e.facts.get("autocast") == "float16"}
    for event in stream.of("backward"):
        through_half = bool(half & set(event.facts.get("forwards", ())))
        tally.add(event.stack, through_half and "scaler" not in event.facts, told=through_half and "scaler_off" not in event.facts)
    yield from tally.witnesses("LL603", lambda c: f"{c.bad} of {c.whole} backwards here went unscaled through float16 forwards", mostly(1))


def loss_inputs(stream: Stream) -> Iterator[Witness]:
    """LL701 to LL703: what the losses were given, of the calls that were looked at."""
    for code, function, words in (
        ("LL701", "cross_entropy", "were probabilities already"),
        ("LL702", "binary_cross_entropy_with_logits", "lay between 0 and 1, as probabilities do"),
        ("LL703", "binary_cross_entropy", "were no probabilities"),
    ):
        tally = Tally()
        for mark in stream.marked("loss"):
            if mark.facts["function"] == function:
                bad = {"LL701": mark.facts.get("sums_to_one"), "LL702": mark.facts["in_unit"], "LL703": not mark.facts["in_unit"]}[code]
                tally.add(mark.stack, bool(bad))
        # Values in the unit interval may be there by chance, sums of one in every row are not.
        alone = None if code == "LL702" else mostly(2 if code == "LL701" else 1)
        yield from tally.witnesses(code, partial(_inputs_said, words), alone)


def _inputs_said(words: str, count: Count) -> str:
    return f"{count.bad} of {count.whole} inputs of the loss that were looked at here {words}"


def restores_itself(stream: Stream) -> Iterator[Witness]:
    """LL801: states taken from a module that later was given its own storage back."""
    tally = Tally()
    for load in restored(stream):
        for taken in stream.of("save"):
            if taken.object == load.object and taken.n < load.n:
                tally.add(taken.stack, load.facts.get("shared", 0) > 0, load.object)
    yield from tally.witnesses("LL801", lambda c: f"{c.bad} of {c.whole} states taken here were, when restored, the model's own tensors")


def resumed_without_state(stream: Stream) -> Iterator[Witness]:
    """LL802: a module's state restored before the first step of an optimizer that never got one."""
    tally, told, first = Tally(), given_states(stream), first_steps(stream)
    for load in restored(stream):
        later = [optimizer for optimizer, n in first.items() if n > load.n]
        if later:
            tally.add(load.stack, any(optimizer not in told for optimizer in later), load.object)
    yield from tally.witnesses("LL802", lambda c: f"after {c.bad} of {c.whole} states restored here an optimizer began without one")


def never_given_back(stream: Stream) -> Iterator[Witness]:
    """LL804: states taken of a module that was never given one again, in a run that came to its end."""
    tally, ended = Tally(), stream.over
    for taken, bad in states_left(stream):
        tally.add(taken.stack, bad and ended, taken.object, told=not bad)
    yield from tally.witnesses("LL804", lambda c: f"{c.bad} of {c.whole} states taken here were never given back")


def resumed_anew(stream: Stream) -> Iterator[Witness]:
    """LL805: an optimizer's state restored, and a scheduler or scaler of it that started over."""
    tally = Tally()
    for load, anew in goes_on_anew(stream):
        tally.add(load.stack, bool(anew), load.object)
    yield from tally.witnesses("LL805", lambda c: f"after {c.bad} of {c.whole} states restored here a scheduler or scaler began anew")


def placed_by_file(stream: Stream) -> Iterator[Witness]:
    """LL803."""
    tally = Tally()
    for load in stream.of("load", where=lambda e: e.facts.get("function") == "torch.load"):
        tally.add(load.stack, not load.facts.get("map_location"))
    yield from tally.witnesses("LL803", lambda c: f"{c.bad} of {c.whole} files loaded here went to where they had been saved from")


def seeded_late(stream: Stream) -> Iterator[Witness]:
    """LL904: the parameters that were there when the first seed was set."""
    tally, first = Tally(), next(iter(stream.marked("seed")), None)
    if first is not None:
        drawn = first.facts["parameters"]
        tally.add(first.stack, drawn > 0)
        yield from tally.witnesses("LL904", lambda c: f"{drawn} parameters were there when the first seed was set here")


def in_order(stream: Stream) -> Iterator[Witness]:
    """LL901: loaders that were trained on, and their samplers."""
    tally, trained = Tally(), {loader for e in stream.of("backward") for loader, _, _ in e.batches}
    for mark in stream.marked("loader"):
        number = mark.facts["object"]
        if number in trained:
            tally.add(mark.stack, stream.things[number].facts["sampler"] == "SequentialSampler", number)
    yield from tally.witnesses(
        "LL901", lambda c: f"{c.bad} of {c.whole} training loaders built here gave their batches in the stored order"
    )


def both_flags(stream: Stream) -> Iterator[Witness]:
    """LL902."""
    if flags := stream.end.get("flags"):
        bad = bool(flags.get("benchmark") and flags.get("deterministic"))
        # That a flag is off at the end does not say that the line which sets it ran: it may ask for a GPU first.
        text = f"the run ended with benchmark {flags.get('benchmark')} and deterministic {flags.get('deterministic')}"
        yield anywhere("LL902", bad, text, told=False)


def epoch_never_set(stream: Stream) -> Iterator[Witness]:
    """LL903."""
    passes = [m for m in stream.marked("pass") if stream.things[m.facts["object"]].facts["sampler"] == "DistributedSampler"]
    if len(passes) > 1:
        told = len(stream.marked("set_epoch"))
        yield anywhere("LL903", told == 0, f"{len(passes)} passes over a distributed sampler, {told} calls of set_epoch")


def batch_unused(stream: Stream) -> Iterator[Witness]:
    """LL306: places of a validation pass that got the same tensor for each batch. A difference does not refute it: another name may be the stale one."""
    tally = Tally()
    for stack, again, _ in given_again(stream):
        tally.add(stack, again, told=False)
    yield from tally.witnesses(
        "LL306", lambda c: f"in {c.bad} of {c.whole} validation passes this place got the same tensor for all batches"
    )


def all_frozen(stream: Stream) -> Iterator[Witness]:
    """LL507: steps of parameters that take no gradients, and the error where nothing takes any."""
    error = stream.end.get("error") or {}
    if GRAPHLESS in error.get("message", ""):
        yield anywhere("LL507", True, f"{error['type']}: {error['message']}")
    tally = Tally()
    for step in stream.of("step"):
        tally.add(step.stack, bool(step.facts.get("frozen")), step.object)
    yield from tally.witnesses("LL507", lambda c: f"{c.bad} of {c.whole} steps here were of parameters that are all frozen", mostly(1))


def fails(code: str, words: str) -> Judge:
    """LL506, LL605: the error that ends the run, where it says what the rule reports."""

    def judge(stream: Stream) -> Iterator[Witness]:
        error = stream.end.get("error") or {}
        if words in error.get("message", ""):
            frames = [(file, line) for file, line, _ in error["frames"]]
            yield Witness(code, *frames[-1], frozenset(frames), 1, 1, f"{error['type']}: {error['message']}")

    return judge
