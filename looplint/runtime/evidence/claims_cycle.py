"""The claims of the rules on the gradient cycle (LL1) and the schedule (LL2)."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean

from looplint.runtime.evidence.claims import Signal, concerns, empty, most_alive, norms, share, steps_of, unchanged
from looplint.runtime.streams.stream import Event, Stream, Thing

# The gradient cycle


def steps_use_nothing(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    hollow = sum(empty(step) for step in steps)
    still = ", parameters unchanged" if unchanged(run, optimizer) else ""
    text = f"{hollow} of {len(steps)} steps found no gradient{still}"
    backward = bool(run.of("backward"))
    return Signal(backward and bool(steps) and hollow / len(steps) >= 0.5, share(hollow, len(steps)), text)


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


def never_steps(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    backwards, steps = len(run.of("backward")), len(steps_of(run, optimizer))
    still = unchanged(run, optimizer)
    shown = backwards > 0 and steps == 0 and still
    return Signal(
        shown, float(backwards), f"{backwards} backwards, {steps} steps of {optimizer.name}, parameters {'un' if still else ''}changed"
    )


def never_filled(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    hollow, still = sum(empty(step) for step in steps), unchanged(run, optimizer)
    return Signal(
        bool(steps) and hollow == len(steps) and still,
        float(hollow),
        f"{hollow} of {len(steps)} steps found no gradient, parameters {'un' if still else ''}changed",
    )


def accumulated_norm(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    mine, others = norms(run, optimizer), norms(right, match) if match else []
    if not mine or not others or not others[0]:
        return Signal(False, None, "no step to compare")
    first = steps_of(run, optimizer)[0]
    backwards = sum(e.n < first.n for e in run.of("backward"))
    ratio = mine[0] / others[0]
    return Signal(
        ratio > 1.5,
        ratio,
        f"at the first step, after {backwards} backwards, the gradient norm is {ratio:.3f} times that of the scaled loop",
    )


def retained(run: Stream, right: Stream) -> Signal:
    mine, others = most_alive(run, "held_bytes"), most_alive(right, "held_bytes")
    retained = sum(bool(e.facts.get("retain_graph")) for e in run.of("backward"))
    text = f"{retained} backwards kept their graph; up to {mine:,} bytes of saved tensors outlive the iteration (repaired: {others:,})"
    return Signal(retained > 0 and mine > 1.5 * others, float(mine), text)


# The schedule


def first_rates(stream: Stream) -> list[float]:
    return [e.facts["lr"][0] for e in stream.of("step") if e.facts.get("lr") and e.facts["lr"][0] is not None]


def too_often(run: Stream, right: Stream) -> Signal:
    mine, others = len(run.of("schedule")), len(right.of("schedule"))
    rates = first_rates(run)
    changes = sum(a != b for a, b in pairwise(rates))
    return Signal(
        mine >= 1.5 * others > 0,
        share(mine, others),
        f"{mine} schedule steps instead of {others}; the learning rate changed {changes} times",
    )


def too_seldom(run: Stream, right: Stream) -> Signal:
    mine, others = len(run.of("schedule")), len(right.of("schedule"))
    ends = ", ".join(
        f"{name} ends at {rates[-1]:.3g}" for name, rates in (("it", first_rates(run)), ("the repaired one", first_rates(right))) if rates
    )
    return Signal(0 < 1.5 * mine <= others, share(mine, others), f"{mine} schedule steps instead of {others}; {ends}")


def first_value_skipped(run: Stream, right: Stream) -> Signal:
    def early(stream: Stream) -> list[Event]:
        """Schedule steps that came before their optimizer's first step."""
        first: dict[int, int] = {}
        for step in stream.of("step"):
            first.setdefault(step.object, step.n)
        return [e for e in stream.of("schedule") if e.facts.get("optimizer") in first and e.n < first[e.facts["optimizer"]]]

    found = early(run)
    if not found:
        return Signal(False, 0.0, "the first step used the schedule's first value")
    before, after = found[0].facts["lr_before"], found[-1].facts["lr"]
    return Signal(len(found) > len(early(right)), float(len(found)), f"the schedule moved from {before} to {after} before the first step")


def metric_missing(run: Stream, right: Stream) -> Signal:
    error = run.end.get("error", {})
    failed = any(e.facts.get("error") == "TypeError" for e in run.of("schedule"))
    counters = [e.facts["counter"] for e in run.of("schedule") if "counter" in e.facts]
    if len(counters) > 1 and counters == [*range(counters[0], counters[0] + len(counters))]:
        return Signal(True, None, f"the metric was {counters[0]}, {counters[1]}, ...: the number of the step")
    return Signal(failed, None, f"{error.get('type', '')}: {error.get('message', '')}" if failed else "the scheduler took its metric")


def stale_schedules(run: Stream, right: Stream) -> Signal:
    """Steps of schedulers since whose last one only other optimizers than their own have stepped."""

    def count(stream: Stream) -> tuple[int, int]:
        stepped: set[int] = set()
        found, whole, scheduled = 0, 0, False
        for event in stream.events:
            if event.kind == "step":
                stepped = {event.object} if scheduled else stepped | {event.object}
                scheduled = False
            elif event.kind == "schedule":
                whole, scheduled = whole + 1, True
                found += bool(stepped) and stream.things[event.object].facts.get("optimizer") not in stepped
        return found, whole

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(
        mine > others,
        share(mine, whole),
        f"{mine} of {whole} scheduler steps followed steps of other optimizers alone (repaired: {others})",
    )


def constant_rate(run: Stream, right: Stream) -> Signal:
    idle = [s for s in run.with_role("scheduler") if not any(e.object == s.id for e in run.of("schedule"))]
    constant = []
    for scheduler in idle:
        rates = {tuple(e.facts["lr"]) for e in run.of("step") if e.object == scheduler.facts.get("optimizer")}
        if len(rates) == 1:
            constant.append(scheduler.name)
    text = f"{', '.join(constant)} never stepped, the learning rate stayed at one value" if constant else "every scheduler stepped"
    return Signal(bool(constant), float(len(constant)), text)


def steps_on_foreign(stream: Stream) -> list[tuple[Event, bool]]:
    """The steps on gradients that several backwards filled, each with whether another optimizer stepped first after one of these."""
    found: list[tuple[Event, bool]] = []
    filled: dict[int, list[Event]] = {}
    foreign: set[tuple[int, int]] = set()
    open_: dict[int, set[int]] = {}
    for event in stream.events:
        if event.kind == "backward":
            open_[event.n] = set(event.facts.get("filled", ()))
            for number in open_[event.n]:
                filled.setdefault(number, []).append(event)
        elif event.kind == "clear":
            filled.pop(event.object, None)
        elif event.kind == "step":
            for n, numbers in list(open_.items()):
                if event.object in numbers:
                    foreign.update((n, other) for other in numbers - {event.object})
                    del open_[n]
            mine = filled.get(event.object, [])
            if len(mine) > 1:
                others = [e for e in mine if (e.n, event.object) in foreign]
                found.append((event, 0 < len(others) < len(mine)))
    return found


def foreign_applied(run: Stream, right: Stream) -> Signal:
    mine, others = steps_on_foreign(run), steps_on_foreign(right)
    bad, rest = sum(b for _, b in mine), sum(b for _, b in others)
    whole = len(run.of("step"))
    return Signal(
        bad > rest, share(bad, whole), f"{bad} of {whole} steps also used what another optimizer's phase had left (repaired: {rest})"
    )
