"""The gradient cycle: clears, backwards and steps."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from looplint.runtime.evidence.claim import GRADIENTS, Claim, Observation
from looplint.runtime.evidence.questions import concerns, empty, fills, nearby, norms, optimizers, states, steps_of, together, unchanged
from looplint.runtime.evidence.signals import Signal, per_optimizer, share
from looplint.runtime.evidence.witness import Count, Tally, Witness, fails, mostly
from looplint.runtime.streams.stream import Event, Stream, Thing

UNSCALED = "Attempted step but _scale is None"  # what a scaler says in whose step no loss has gone through it yet


def steps_use_nothing(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    hollow = sum(empty(step) for step in steps)
    still = ", parameters unchanged" if unchanged(run, optimizer) else ""
    unused, made = thrown_away(run, optimizer)
    if unused and hollow < 0.5 * len(steps):
        others = thrown_away(right, match)[0] if match else 0
        text = f"the gradients of {unused} of {made} backwards were cleared before a step used them (repaired: {others})"
        return Signal(unused >= 0.5 * made and others < 0.5 * unused, share(unused, made), text)
    text = f"{hollow} of {len(steps)} steps found no gradient{still}"
    backward = bool(run.of("backward"))
    return Signal(backward and bool(steps) and hollow / len(steps) >= 0.5, share(hollow, len(steps)), text)


def thrown_away(run: Stream, optimizer: Thing) -> tuple[int, int]:
    """How many backwards fill an optimizer's gradients that a clear takes away before a step, and how many there are."""
    unused = made = waiting = 0
    for event, _ in states(run, optimizer):
        if event.kind == "clear":
            unused, waiting = unused + waiting, 0
        elif event.kind == "step":
            waiting = 0
        elif event.kind == "backward":
            made, waiting = made + 1, waiting + 1
    return unused, made


def where_cleared_too_early(stream: Stream) -> Iterator[Witness]:
    """LL101: clears of filled gradients after which a step finds none, or only those of a later iteration."""
    tally = Tally()
    for optimizer in optimizers(stream):
        waiting: Event | None = None
        filling: Event | None = None
        unused: list[Event] = []  # clears of gradients that no step has used, since the last step
        after_steps = {event.stack for event, state in states(stream, optimizer) if event.kind == "clear" and state == "applied"}
        for event, state in states(stream, optimizer):
            filling = event if event.kind == "backward" else filling
            if event.kind == "clear":
                if waiting is None and state == "filled" and filling is not None and together(filling, event):
                    waiting = event
                elif waiting is None and state == "filled":
                    unused.append(event)
                elif waiting is not event:
                    tally.add(event.stack, False, optimizer.id, decisive=state != "empty")
            elif waiting is not None and event.kind == "backward" and not together(waiting, event):
                unused.append(waiting)
                waiting = None
            elif waiting is not None and event.kind in ("step", "backward"):
                tally.add(waiting.stack, event.kind == "step" and empty(event), optimizer.id)
                waiting = None
            if event.kind == "step":
                # A step that finds nothing at all came too early, and a clear that no step comes before drops a batch: both are other cases.
                for clear in unused:
                    if event.facts.get("closure") and clear.stack[: len(event.stack)] == event.stack:
                        continue  # a step evaluates its closure several times, and uses the gradients of each
                    tally.add(clear.stack, not empty(event) and clear.stack in after_steps, optimizer.id)
                unused = []
    yield from tally.witnesses(
        "LL101", lambda c: f"{c.bad} of {c.whole} clears here threw away gradients that the next step then lacked", mostly()
    )


def gradients_add_up(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    stale, after_step, cleared, steps = 0, False, False, 0
    for event in run.events:
        if event.kind == "step" and event.object == optimizer.id:
            after_step, cleared, steps = True, False, steps + 1
        elif event.kind == "clear" and concerns(event, optimizer):
            cleared = True
        elif event.kind == "backward" and after_step:
            stale += not cleared and event.facts["before"].get(str(optimizer.id), 0) > 0
            after_step = False
    mine, others = norms(run, optimizer), norms(right, match) if match else []
    ratio = fmean(mine) / fmean(others) if mine and others and fmean(others) > 0 else None
    grown = f", the norm before a step is {ratio:.2f} times that of the cleared loop" if ratio is not None else ""
    shown = steps > 1 and stale >= 0.5 * (steps - 1) and ratio is not None and ratio > 1.1
    return Signal(shown, ratio, f"{stale} of {steps} steps left their gradients to the next backward{grown}")


def where_added_up(stream: Stream) -> Iterator[Witness]:
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
                    backwards.add(event.stack, False, optimizer.id, decisive=stepped)
            elif event.kind in ("clear", "step"):
                for fill in stale:
                    # Another rule reports the same gradients: this one is not refuted by that.
                    backwards.add(fill.stack, event.kind == "step" and not spared, optimizer.id, decisive=not spared)
                if event.kind == "step":
                    steps.add(event.stack, bool(stale) and spared, optimizer.id, decisive=stepped)
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


def first_step_before_backward(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    if not steps:
        return Signal(False, None, "no step")
    later = [e for e in run.of("backward") if e.n > steps[0].n]
    shown = empty(steps[0]) and bool(later)
    hollow = sum(empty(step) for step in steps)
    return Signal(
        shown,
        float(hollow),
        f"the first step found {'no' if empty(steps[0]) else 'its'} gradient; {hollow} of {len(steps)} steps were lost",
    )


def where_stepped_before_backward(stream: Stream) -> Iterator[Witness]:
    """LL105: steps without gradients, whose backward comes later in the same iteration."""
    tally = Tally()
    for optimizer in optimizers(stream):
        filling = [e for e in stream.events if fills(e, optimizer)]
        for step in steps_of(stream, optimizer):
            same = nearby(filling, step)
            bad = empty(step) and bool(same) and all(e.n > step.n for e in same)
            tally.add(step.stack, bad, optimizer.id, decisive=bool(same) or not empty(step))
    yield from tally.witnesses(
        "LL105", lambda c: f"{c.bad} of {c.whole} steps here found no gradients because their backward came later", mostly()
    )


def never_steps(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    backwards, steps = len(run.of("backward")), len(steps_of(run, optimizer))
    still = unchanged(run, optimizer)
    shown = backwards > 0 and steps == 0 and still
    return Signal(
        shown, float(backwards), f"{backwards} backwards, {steps} steps of {optimizer.name}, parameters {'un' if still else ''}changed"
    )


def where_never_stepped(stream: Stream) -> Iterator[Witness]:
    """LL106: backwards whose gradients no step uses."""
    tally, over, still = Tally(), stream.over, set[int]()
    stepped = {e.object for e in stream.of("step")}
    for optimizer in optimizers(stream):
        if unchanged(stream, optimizer):
            still.add(optimizer.id)
        idle = optimizer.id not in stepped
        for event in stream.of("backward"):
            if fills(event, optimizer):
                tally.add(event.stack, idle, optimizer.id)
            elif idle:
                tally.add(event.stack, False, optimizer.id, decisive=False)  # it may get its gradients from here later on
    say = "{} of {} backwards here filled gradients of an optimizer that never stepped"
    yield from tally.witnesses("LL106", lambda c: say.format(c.bad, c.whole), lambda c: over and len(c.objects & still) > 0 and c.whole > 1)


def lacking(stream: Stream, optimizer: Thing) -> int:
    """How many of an optimizer's parameters had no gradient in any of its steps, at least; 0 where none had one."""
    steps, held = steps_of(stream, optimizer), optimizer.facts["parameters"]
    return min((held - step.facts["grads"] for step in steps), default=0) if all(step.facts["grads"] for step in steps) else 0


def never_filled(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    short, others = lacking(run, optimizer), lacking(right, match) if match is not None else 0
    if short > others:
        text = f"{short} of {optimizer.facts['parameters']} parameters had no gradient in all {len(steps)} steps (repaired: {others})"
        return Signal(True, float(short), text)
    hollow, still = sum(empty(step) for step in steps), unchanged(run, optimizer)
    return Signal(
        bool(steps) and hollow == len(steps) and still,
        float(hollow),
        f"{hollow} of {len(steps)} steps found no gradient, parameters {'un' if still else ''}changed",
    )


def where_never_filled(stream: Stream) -> Iterator[Witness]:
    """LL107: steps of an optimizer that no backward ever reaches, or some of whose parameters none does: those may be unused on purpose."""
    if not stream.of("backward"):  # a scaler that is on does not come to the step
        yield from fails("LL107", UNSCALED)(stream)
    tally, partly = Tally(), set[int]()
    for optimizer in optimizers(stream):
        dry = not any(fills(e, optimizer) for e in stream.events)
        if short := lacking(stream, optimizer):
            partly.add(optimizer.id)
        for step in steps_of(stream, optimizer):
            tally.add(step.stack, (dry and empty(step)) or short > 0, optimizer.id)

    def say(count: Count) -> str:
        if count.objects & partly:
            return f"{count.bad} of {count.whole} steps here found no gradient for some of the parameters, which no backward ever reached"
        return f"{count.bad} of {count.whole} steps here found no gradient, and no backward ever reached these parameters"

    yield from tally.witnesses("LL107", say, lambda count: mostly()(count) and not count.objects & partly)


CLAIMS = (
    Claim(
        "LL101",
        per_optimizer(steps_use_nothing),
        Observation(
            where_cleared_too_early,
            needs="a clear of gradients that a backward filled",
            confirms="a step that finds no gradients after the clear",
            channels=GRADIENTS,
            turns=1,
            harm=True,
        ),
    ),
    Claim(
        "LL102",
        per_optimizer(gradients_add_up),
        Observation(
            where_added_up,
            needs="a backward after a step of the same optimizer",
            confirms="a backward that adds to gradients which a step has used, and a step that uses the sum",
            channels=GRADIENTS,
            turns=2,
            harm=True,
        ),
    ),
    Claim(
        "LL105",
        per_optimizer(first_step_before_backward),
        Observation(
            where_stepped_before_backward,
            needs="a backward in the same iteration as the step, or a step that finds gradients",
            confirms="a step that finds no gradients, whose backward comes after it",
            channels=GRADIENTS,
            turns=1,
            harm=True,
        ),
    ),
    Claim(
        "LL106",
        per_optimizer(never_steps),
        Observation(
            where_never_stepped,
            needs="a backward into parameters of an optimizer, and its step",
            confirms="backwards into parameters of an optimizer that never steps",
            channels=GRADIENTS,
            harm=True,
        ),
    ),
    Claim(
        "LL107",
        per_optimizer(never_filled),
        Observation(
            where_never_filled,
            needs="a step",
            confirms="steps that find no gradients, of an optimizer that no backward reaches, or the error of a scaler that nothing has gone through",
            channels=GRADIENTS,
            turns=1,
            harm=True,
        ),
    ),
    Claim(
        "LL109",
        per_optimizer(gradients_add_up),
        Observation(
            where_added_up,
            needs="a second step of the same optimizer",
            confirms="a step on gradients of earlier batches, while another optimizer is cleared",
            channels=GRADIENTS,
            turns=2,
            harm=True,
            alike="LL102",
        ),
    ),
)
