"""Learning-rate schedules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.questions import epochs_seen
from looplint.runtime.evidence.signals import Signal, share
from looplint.runtime.evidence.witness import Count, Tally, Witness
from looplint.runtime.streams.stream import Event, Stream, Thing

# Schedulers that come back to a high rate, or count batches whatever their arguments are.
CYCLES = frozenset({"OneCycleLR", "CyclicLR", "CosineAnnealingWarmRestarts"})
GONE = 0.01 * (1 + 1e-9)  # of its largest value: a learning rate that is as good as zero, however its factors were rounded
SEVERAL = 6  # steps in which a rate that falls evenly is taken to go on so


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


def where_schedule_pace(stream: Stream) -> Iterator[Witness]:
    """LL201 and LL202: schedule steps in every iteration of the batch loop, or only once in many optimizer steps."""
    often, seldom, gone = Tally(), Tally(), Tally()
    for scheduler in stream.with_role("scheduler"):
        taken, since, last = 0, 0, None
        beside_steps: list[Event] = []
        own = scheduler.facts.get("optimizer")
        for event in stream.events:
            if event.kind == "step" and event.object == own:
                since, last = since + 1, event
            elif event.kind == "schedule" and event.object == scheduler.id:
                taken += 1
                shared = {loop[:2] for loop in last.loops} if last is not None else set()
                beside = bool(event.loops) and event.loops[-1][:2] in shared
                often.add(event.stack, beside and len(event.loops) > 1, scheduler.id, decisive=last is not None)
                beside_steps += [event] if beside else []
                seldom.add(event.stack, since > 1, scheduler.id, decisive=beside)
                since = 0
        if scheduler.kind not in CYCLES and _vanishes(stream, scheduler, beside_steps):
            for event in beside_steps:
                gone.add(event.stack, True, scheduler.id)
    yield from gone.witnesses(
        "LL201",
        lambda c: (
            f"{c.whole} schedule steps in the loop over batches take the learning rate below 1 % of its value within half of the first epoch"
        ),
        lambda c: True,
        harm=True,
    )
    yield from often.witnesses(
        "LL201", lambda c: f"the learning rate was changed {c.whole} times here, {c.bad} of them in the loop over batches"
    )
    yield from seldom.witnesses("LL202", lambda c: f"{c.bad} of {c.whole} schedule steps here came after several optimizer steps")


def _fallen_short(stream: Stream) -> dict[int, tuple[int, int]]:
    """The schedulers that count to an end, how far each came, and that end: where the run is over, and made as many backwards for its optimizer as there are steps to it."""
    found, backwards = dict[int, tuple[int, int]](), stream.of("backward")
    for scheduler in stream.with_role("scheduler"):
        own = scheduler.facts.get("optimizer")
        made = sum(own in e.facts.get("filled", ()) for e in backwards)
        made += sum(mark.facts["filled"].get(str(own), 0) for mark in stream.marked("pause"))
        end, counts = scheduler.facts.get("end"), [e.facts.get("count") for e in stream.of("schedule") if e.object == scheduler.id]
        if stream.over and end and counts and counts[-1] is not None and 0.9 * end <= made <= 1.1 * end:
            found[scheduler.id] = (counts[-1], end)
    return found


def ends_too_late(run: Stream, right: Stream) -> Signal:
    short = [(came, end) for came, end in _fallen_short(run).values() if came < 0.75 * end]
    ends = ", ".join(
        f"{name} ends at {rates[-1]:.3g}" for name, rates in (("it", first_rates(run)), ("the repaired one", first_rates(right))) if rates
    )
    return Signal(
        bool(short), share(*short[0]) if short else 1.0, f"{', '.join(f'{came} of {end} steps were made' for came, end in short)}; {ends}"
    )


def where_ends_too_late(stream: Stream) -> Iterator[Witness]:
    """LL207: the steps of schedules that count to the number of all batches, and how far they came."""
    tally, short = Tally(), _fallen_short(stream)
    for event in stream.of("schedule"):
        if event.object in short:
            came, end = short[event.object]
            tally.add(event.stack, came < 0.75 * end, event.object)
    yield from tally.witnesses(
        "LL207", lambda c: f"{c.whole} steps of a schedule were made here, which ends after as many as there were backwards"
    )


def _vanishes(stream: Stream, scheduler: Thing, schedules: list[Event]) -> bool:
    """Whether the learning rate is as good as zero before half of the first pass over the data is over, while the training goes on.

    It was seen to be, for as many steps as before; or it falls by the same factor in each of several steps, which leads there.
    """
    inside = [e for e in schedules if e.batches and e.facts["lr"] and e.facts["lr"][0] is not None]
    begins = min(
        (e.batches[-1][1] for e in inside), default=0
    )  # later than the first pass, where the script looks at a batch before it trains
    first = [e for e in inside if e.batches[-1][1] == begins]
    if not first or first[-1].facts["lr_before"][0] is None:
        return False
    length = stream.things[first[0].batches[-1][0]].facts.get("batches")
    if not length or any(e.batches[-1][0] != first[0].batches[-1][0] for e in first):
        return False
    rates = [first[0].facts["lr_before"][0], *(e.facts["lr"][0] for e in first)]
    low = next((e for e, rate in zip(first, rates[1:], strict=True) if rate <= GONE * max(rates)), None)
    if low is not None:
        steps = [e for e in stream.of("step") if e.object == scheduler.facts.get("optimizer")]
        later = [e for e in steps if e.n > low.n]
        stays = all(rate <= GONE * max(rates) for rate in rates[rates.index(low.facts["lr"][0], 1) :])
        return stays and low.batches[-1][2] < length / 2 and len(later) >= len(steps) - len(later)
    factors = [b / a for a, b in pairwise(rates) if a]
    even = len(factors) >= SEVERAL and max(factors) < 1 and max(factors) - min(factors) < 1e-6
    taken = len(first) / (first[-1].batches[-1][2] + 1)  # schedule steps for each batch
    return even and not stream.over and factors[0] ** (taken * length / 2) <= GONE


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


def where_first_value_skipped(stream: Stream) -> Iterator[Witness]:
    """LL203: a schedule that moves on before its optimizer's first step."""
    tally, stepped, seen, resumed = Tally(), set(), set(), False
    before = Counter[int]()  # by scheduler: its steps before the first of its optimizer
    for event in stream.events:
        resumed |= event.kind == "load" and event.facts.get("function") == "load_state_dict"
        if event.kind == "step":
            stepped.add(event.object)
        elif event.kind == "schedule" and event.object not in seen:
            seen.add(event.object)
            own, moved = event.facts.get("optimizer"), event.facts.get("count") != 0 and not event.facts.get("in_step")
            steps_later = any(e.kind == "step" and e.object == own and e.n > event.n for e in stream.events)
            tally.add(event.stack, moved and own not in stepped and steps_later, event.object, decisive=own in stepped or steps_later)
        if event.kind == "schedule" and event.facts.get("optimizer") not in stepped:
            before[event.object] += 1

    def alone(count: Count) -> bool:
        # A training that goes on winds its schedule forward first.
        return not resumed and all(before[number] == 1 for number in count.objects)

    yield from tally.witnesses(
        "LL203", lambda c: f"the schedule moved on here before the optimizer's first step: {'yes' if c.bad else 'no'}", alone
    )


def metric_missing(run: Stream, right: Stream) -> Signal:
    error = run.end.get("error", {})
    failed = any(e.facts.get("error") == "TypeError" for e in run.of("schedule"))
    counters = [e.facts["counter"] for e in run.of("schedule") if "counter" in e.facts]
    if len(counters) > 1 and counters == [*range(counters[0], counters[0] + len(counters))]:
        return Signal(True, None, f"the metric was {counters[0]}, {counters[1]}, ...: the number of the step")
    return Signal(failed, None, f"{error.get('type', '')}: {error.get('message', '')}" if failed else "the scheduler took its metric")


def where_metric_missing(stream: Stream) -> Iterator[Witness]:
    """LL204: schedule steps that fail because the metric is not given, or take a counter for it."""
    tally, counted, last = Tally(), Tally(), dict[int | None, int]()
    for event in stream.of("schedule"):
        # Only one that takes a metric can miss it.
        tally.add(event.stack, event.facts.get("error") == "TypeError", event.object, decisive=bool(event.facts.get("plateau")))
        counter = event.facts.get("counter")
        if isinstance(counter, int):
            counted.add(event.stack, last.get(event.object, counter - 1) == counter - 1, event.object)
            last[event.object] = counter
    yield from tally.witnesses("LL204", lambda c: f"{c.bad} of {c.whole} schedule steps here raised a TypeError", lambda c: True, harm=True)
    yield from counted.witnesses(
        "LL204", lambda c: f"{c.bad} of {c.whole} schedule steps here took the next number of a count for their metric"
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


def where_never_scheduled(stream: Stream) -> Iterator[Witness]:
    """LL205: schedulers that never step, though an epoch has passed."""
    tally = Tally()
    stepped, used = {e.object for e in stream.of("schedule")}, {e.object for e in stream.of("step")}
    for event in stream.of("construct"):
        thing = stream.things[event.object]
        if thing.role == "scheduler" and (own := thing.facts.get("optimizer")) in used and epochs_seen(stream, own):
            tally.add(event.stack, thing.id not in stepped, thing.id)
    yield from tally.witnesses("LL205", lambda c: f"{c.bad} of {c.whole} schedulers built here never stepped while their optimizer did")


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


def where_stale_schedules(stream: Stream) -> Iterator[Witness]:
    """LL206: steps of schedulers since whose last one only other optimizers than their own have stepped."""
    tally, stepped = Tally(), dict[int, set[int]]()
    for event in stream.events:
        if event.kind == "step":
            for since in stepped.values():
                since.add(event.object)
        elif event.kind == "schedule":
            since = stepped.get(event.object, set())
            stale = bool(since) and stream.things[event.object].facts.get("optimizer") not in since
            tally.add(event.stack, stale, event.object, decisive=bool(since))
            stepped[event.object] = set()
    yield from tally.witnesses("LL206", lambda c: f"{c.bad} of {c.whole} schedule steps here followed steps of other optimizers alone")


CLAIMS = (
    Claim(
        "LL201",
        too_often,
        Observation(
            where_schedule_pace,
            needs="a schedule step after an optimizer step",
            confirms="a schedule step in the loop over batches",
            channels=("optimizers", "steps", "schedules"),
            turns=1,
            compared=True,
        ),
    ),
    Claim(
        "LL202",
        too_seldom,
        Observation(
            where_schedule_pace,
            needs="several optimizer steps before a schedule step, or both in the same loop",
            confirms="several optimizer steps before a schedule step",
            channels=("optimizers", "steps", "schedules"),
            turns=1,
            compared=True,
        ),
    ),
    Claim(
        "LL203",
        first_value_skipped,
        Observation(
            where_first_value_skipped,
            needs="a schedule step, and an optimizer step before or after it",
            confirms="a schedule step before its optimizer's first step",
            channels=("optimizers", "steps", "schedules"),
            turns=1,
            harm=True,
        ),
    ),
    Claim(
        "LL204",
        metric_missing,
        Observation(
            where_metric_missing,
            needs="a step of a schedule that takes a metric",
            confirms="a TypeError in a schedule step, or a counter for its metric",
            channels=("schedules",),
        ),
    ),
    Claim(
        "LL205",
        constant_rate,
        Observation(
            where_never_scheduled,
            needs="a second epoch of its optimizer, or the end of the script",
            confirms="a scheduler that never steps while its optimizer does",
            channels=("optimizers", "steps", "schedules", "loaders"),
            turns=1,
            harm=True,
        ),
    ),
    Claim(
        "LL206",
        stale_schedules,
        Observation(
            where_stale_schedules,
            needs="an optimizer step between two schedule steps",
            confirms="a schedule step after steps of other optimizers alone",
            channels=("optimizers", "steps", "schedules"),
            turns=1,
        ),
    ),
    Claim(
        "LL207",
        ends_too_late,
        Observation(
            where_ends_too_late,
            needs="the end of the script, and a schedule that ends after as many steps as its optimizer had backwards",
            confirms="such a schedule that has not gone three quarters of its way",
            channels=("optimizers", "steps", "schedules", "backwards"),
            harm=True,
        ),
    ),
)
