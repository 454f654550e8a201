"""What a run tells about the gradient cycle (LL1)."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from looplint.runtime.evidence.claims import concerns, empty, optimizers, steps_of, unchanged
from looplint.runtime.evidence.claims_cycle import steps_on_foreign
from looplint.runtime.evidence.claims_state import backwards_left
from looplint.runtime.evidence.witness import Tally, Witness, anywhere, fills, mostly, together
from looplint.runtime.streams.stream import Event, Stream, Thing

NEARBY = 256  # events on either side among which those of the same iteration are looked for


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


def cleared_too_early(stream: Stream) -> Iterator[Witness]:
    """LL101: clears of filled gradients after which a step finds none."""
    tally = Tally()
    for optimizer in optimizers(stream):
        waiting: Event | None = None
        filling: Event | None = None
        for event, state in states(stream, optimizer):
            filling = event if event.kind == "backward" else filling
            if event.kind == "clear":
                # Gradients of the iteration before are another matter: there the step came too early.
                if waiting is None and state == "filled" and filling is not None and together(filling, event):
                    waiting = event
                if waiting is not event:
                    tally.add(event.stack, False, told=state != "empty")
            elif waiting is not None and event.kind in ("step", "backward"):
                tally.add(waiting.stack, event.kind == "step" and empty(event), optimizer.id)
                waiting = None
    yield from tally.witnesses(
        "LL101", lambda c: f"{c.bad} of {c.whole} clears here threw away gradients that the next step then missed", mostly()
    )


def added_up(stream: Stream) -> Iterator[Witness]:
    """LL102, and LL109 where another optimizer is cleared twice as often: backwards that add to gradients a step has used."""
    backwards, steps = Tally(), Tally()
    for optimizer in optimizers(stream):
        spared = _cleared_instead(stream, optimizer)
        stale: list[Event] = []
        stepped = False
        for event, state in states(stream, optimizer):
            if event.kind == "backward":
                if state == "applied" and event.facts["before"].get(str(optimizer.id), 0) > 0:
                    stale.append(event)
                elif state == "empty":
                    backwards.add(event.stack, False, told=stepped)
            elif event.kind in ("clear", "step"):
                for fill in stale:
                    # What another rule reports of the same gradients is not refuted beside it.
                    backwards.add(fill.stack, event.kind == "step" and not spared, optimizer.id, told=not spared)
                if event.kind == "step":
                    steps.add(event.stack, bool(stale) and spared, optimizer.id, told=stepped)
                    stepped = True
                stale = []
    yield from backwards.witnesses(
        "LL102", lambda c: f"{c.bad} of {c.whole} backwards here added to gradients that a step had used already", mostly()
    )
    yield from steps.witnesses(
        "LL109",
        lambda c: f"{c.bad} of {c.whole} steps here used gradients of earlier batches, while another optimizer was cleared instead",
        mostly(),
    )


def _cleared_instead(stream: Stream, optimizer: Thing) -> bool:
    """Whether an optimizer is never cleared once it has stepped, and another one more often than it steps."""
    first = next((e.n for e in steps_of(stream, optimizer)), None)
    if first is None or any(e.n > first and concerns(e, optimizer) for e in stream.of("clear")):
        return False
    others = [o for o in optimizers(stream) if o is not optimizer]
    return any(sum(e.object == o.id for e in stream.of("clear")) >= 1.5 * max(1, len(steps_of(stream, o))) for o in others)


def clipped_without_gradients(stream: Stream) -> Iterator[Witness]:
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
        own = [e for e in _nearby(backwards, event) if holders.intersection(e.facts.get("filled", ()))]
        used = [e for e in _nearby(steps, event) if e.object in holders and e.n < event.n]
        early.add(event.stack, hollow and bool(own) and all(e.n > event.n for e in own), told=bool(own) or not hollow)
        late.add(event.stack, hollow and bool(used) and any(e.n < used[-1].n for e in own), told=bool(own) or not hollow)
    yield from early.witnesses("LL103", lambda c: f"{c.bad} of {c.whole} clips here came before the gradients were computed", mostly())
    yield from late.witnesses("LL104", lambda c: f"{c.bad} of {c.whole} clips here came after the step had used the gradients", mostly())


def _nearby(events: list[Event], event: Event) -> list[Event]:
    """Those of the same iteration; `events` are in order, and an iteration is not longer than so many of them."""
    middle = bisect_left(events, event.n, key=lambda e: e.n)
    return [e for e in events[max(0, middle - NEARBY) : middle + NEARBY] if together(e, event)]


def _limits(clip: Event) -> bool:
    """Whether a clip could change anything: an infinite limit only measures the norm."""
    limit = clip.facts.get("max_norm", clip.facts.get("clip_value"))
    return limit is not None and math.isfinite(limit)


def stepped_before_backward(stream: Stream) -> Iterator[Witness]:
    """LL105: steps without gradients, whose backward comes later in the same iteration."""
    tally = Tally()
    for optimizer in optimizers(stream):
        filling = [e for e in stream.events if fills(e, optimizer)]
        for step in steps_of(stream, optimizer):
            same = _nearby(filling, step)
            bad = empty(step) and bool(same) and all(e.n > step.n for e in same)
            tally.add(step.stack, bad, optimizer.id, told=bool(same) or not empty(step))
    yield from tally.witnesses(
        "LL105", lambda c: f"{c.bad} of {c.whole} steps here found no gradients because their backward came later", mostly()
    )


def never_stepped(stream: Stream) -> Iterator[Witness]:
    """LL106: backwards whose gradients no step uses."""
    tally, over, still = Tally(), stream.over, set[int]()
    for optimizer in optimizers(stream):
        if unchanged(stream, optimizer):
            still.add(optimizer.id)
        idle = not any(e.object == optimizer.id for e in stream.of("step"))
        for event in stream.events:
            if fills(event, optimizer):
                tally.add(event.stack, idle, optimizer.id)
    say = "{} of {} backwards here filled gradients of an optimizer that never stepped"
    yield from tally.witnesses("LL106", lambda c: say.format(c.bad, c.whole), lambda c: over and len(c.objects & still) > 0 and c.whole > 1)


def never_filled(stream: Stream) -> Iterator[Witness]:
    """LL107: steps of an optimizer that no backward ever reaches."""
    tally = Tally()
    for optimizer in optimizers(stream):
        dry = not any(fills(e, optimizer) for e in stream.events)
        for step in steps_of(stream, optimizer):
            tally.add(step.stack, dry and empty(step), optimizer.id)
    yield from tally.witnesses(
        "LL107", lambda c: f"{c.bad} of {c.whole} steps here found no gradient, and no backward ever reached these parameters", mostly()
    )


def accumulated_unscaled(stream: Stream) -> Iterator[Witness]:
    """LL108: backwards that add up for a step, and whose loss was not divided."""
    tally, most = Tally(), 1
    chains = {e.stack[-1:]: _operations(e) for e in reversed(stream.of("backward")) if "chain" in e.facts}
    for optimizer in optimizers(stream):
        since: list[Event] = []
        stepped = False
        for event, _ in states(stream, optimizer):
            if event.kind == "backward":
                since.append(event)
            elif event.kind == "step":
                for place, count in Counter(e.stack for e in since).items():
                    added, chain = len({e.loops for e in since if e.stack == place}) > 1, chains.get(place[-1:], [])
                    most = max(most, count if added else 1)
                    bad = added and not any(name.startswith(("Div", "Mul")) for name in chain[:3])
                    tally.add(place, bad, optimizer.id, told=added or stepped)
                since, stepped = [], True
    yield from tally.witnesses(
        "LL108", lambda c: f"{c.bad} of {c.whole} steps used the sum of up to {most} backwards from here, of losses that were not divided"
    )


def _operations(backward: Event) -> list[str]:
    """A loss's last operations, without the multiplication by a scaler."""
    chain: list[str] = backward.facts["chain"]
    return [name for name in chain if name != "Scale"]


def left_over(stream: Stream) -> Iterator[Witness]:
    """LL111: backwards that no step came after, in a run that came to its end."""
    if stream.over:
        left = backwards_left(stream)
        yield anywhere("LL111", left > 0, f"{left} backwards came after the last step, which no step used")


def retained(stream: Stream) -> Iterator[Witness]:
    """LL110: graphs that were kept for another backward which never came."""
    tally = Tally()
    backwards = stream.of("backward")
    uses = Counter(n for e in backwards for n in e.facts.get("forwards", ()))
    uses.update(n for m in stream.marked("grad") for n in m.facts["forwards"])
    for event in backwards:
        kept = bool(event.facts.get("retain_graph")) and not event.facts.get("create_graph")
        tally.add(event.stack, kept and all(uses[n] == 1 for n in event.facts.get("forwards", ())))
    yield from tally.witnesses("LL110", lambda c: f"{c.bad} of {c.whole} backwards here kept a graph that no other backward used", mostly())


def foreign_applied(stream: Stream) -> Iterator[Witness]:
    """LL112: steps on gradients of which another optimizer's phase left a part."""
    tally = Tally()
    for step, bad in steps_on_foreign(stream):
        tally.add(step.stack, bad, step.object)
    yield from tally.witnesses("LL112", lambda c: f"{c.bad} of {c.whole} steps here also used what another optimizer's phase had left")
