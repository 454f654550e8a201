"""What a run tells about the schedule, modes, what is kept, and which parameters an optimizer holds (LL2 to LL5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from looplint.runtime.evidence.claims import optimizers, steps_of
from looplint.runtime.evidence.claims_state import reached_forwards
from looplint.runtime.evidence.witness import Count, Tally, Witness, epochs_seen, mostly, within
from looplint.runtime.evidence.witness_cycle import states
from looplint.runtime.streams.stream import Event, Stream

# Schedulers that count steps whatever their arguments are.
PER_STEP = ("OneCycleLR", "CyclicLR")


def schedule_pace(stream: Stream) -> Iterator[Witness]:
    """LL201 and LL202: schedule steps in every iteration of the batch loop, or only once in many optimizer steps."""
    often, seldom = Tally(), Tally()
    for scheduler in stream.with_role("scheduler"):
        taken, since, last = 0, 0, None
        own = scheduler.facts.get("optimizer")
        for event in stream.events:
            if event.kind == "step" and event.object == own:
                since, last = since + 1, event
            elif event.kind == "schedule" and event.object == scheduler.id:
                taken += 1
                shared = {loop[:2] for loop in last.loops} if last is not None else set()
                beside = bool(event.loops) and event.loops[-1][:2] in shared
                often.add(event.stack, beside and len(event.loops) > 1, scheduler.id, told=last is not None)
                seldom.add(event.stack, since > 1, scheduler.id, told=beside)
                since = 0
    yield from often.witnesses(
        "LL201", lambda c: f"the learning rate was changed {c.whole} times here, {c.bad} of them in the loop over batches"
    )
    yield from seldom.witnesses("LL202", lambda c: f"{c.bad} of {c.whole} schedule steps here came after several optimizer steps")


def first_value_skipped(stream: Stream) -> Iterator[Witness]:
    """LL203: a schedule that moves on before its optimizer's first step."""
    tally, stepped, seen = Tally(), set(), set()
    for event in stream.events:
        if event.kind == "step":
            stepped.add(event.object)
        elif event.kind == "schedule" and event.object not in seen:
            seen.add(event.object)
            own, moved = event.facts.get("optimizer"), event.facts.get("count") != 0 and not event.facts.get("in_step")
            steps_later = any(e.kind == "step" and e.object == own and e.n > event.n for e in stream.events)
            tally.add(event.stack, moved and own not in stepped and steps_later, event.object, told=own in stepped or steps_later)
    yield from tally.witnesses(
        "LL203", lambda c: f"the schedule moved on here before the optimizer's first step: {'yes' if c.bad else 'no'}", lambda c: True
    )


def stale_schedules(stream: Stream) -> Iterator[Witness]:
    """LL206: steps of schedulers since whose last one only other optimizers than their own have stepped."""
    tally, stepped = Tally(), dict[int, set[int]]()
    for event in stream.events:
        if event.kind == "step":
            for since in stepped.values():
                since.add(event.object)
        elif event.kind == "schedule":
            since = stepped.get(event.object, set())
            stale = bool(since) and stream.things[event.object].facts.get("optimizer") not in since
            tally.add(event.stack, stale, event.object, told=bool(since))
            stepped[event.object] = set()
    yield from tally.witnesses("LL206", lambda c: f"{c.bad} of {c.whole} schedule steps here followed steps of other optimizers alone")


def metric_missing(stream: Stream) -> Iterator[Witness]:
    """LL204: schedule steps that fail because the metric is not given, or take a counter for it."""
    tally, counted, last = Tally(), Tally(), dict[int | None, int]()
    for event in stream.of("schedule"):
        tally.add(event.stack, event.facts.get("error") == "TypeError", event.object)
        counter = event.facts.get("counter")
        if isinstance(counter, int):
            counted.add(event.stack, last.get(event.object, counter - 1) == counter - 1, event.object)
            last[event.object] = counter
    yield from tally.witnesses("LL204", lambda c: f"{c.bad} of {c.whole} schedule steps here raised a TypeError", lambda c: True, harm=True)
    yield from counted.witnesses(
        "LL204", lambda c: f"{c.bad} of {c.whole} schedule steps here took the next number of a count for their metric"
    )


def never_scheduled(stream: Stream) -> Iterator[Witness]:
    """LL205: schedulers that never step, though an epoch has passed."""
    tally = Tally()
    if epochs_seen(stream):
        stepped = {e.object for e in stream.of("schedule")}
        for event in stream.of("construct"):
            thing = stream.things[event.object]
            if thing.role == "scheduler" and any(e.object == thing.facts.get("optimizer") for e in stream.of("step")):
                tally.add(event.stack, thing.id not in stepped, thing.id)
    yield from tally.witnesses("LL205", lambda c: f"{c.bad} of {c.whole} schedulers built here never stepped while their optimizer did")


def _settled(stream: Stream) -> list[Event]:
    """The forwards whose iteration is over: in a run that was cut short, a backward might still have used those of the last one."""
    forwards = stream.of("forward")
    last = stream.events[-1] if stream.events else None
    if stream.over or last is None or not last.loops:
        return forwards
    return [e for e in forwards if not within(e, last)]


def trained_in_eval(stream: Stream) -> Iterator[Witness]:
    """LL301 and LL304: forwards in eval mode, once the module has been put there, whose gradients its optimizer used."""
    tally, evaluated, trained = Tally(), False, _trained(stream)
    settled = trained | {e.n for e in _settled(stream)}
    began = {e.object for e in stream.of("forward") if e.n in trained and e.facts["training"]}
    for event in stream.events:
        evaluated |= event.kind == "eval"
        if event.kind == "forward" and evaluated and event.n in settled:
            used = event.n in trained
            # Where a part is frozen, the rest is trained on what the whole gives in eval mode: linear probing.
            bad = used and not event.facts["training"] and not event.facts.get("frozen")
            tally.add(event.stack, bad, event.object, told=used or stream.over)
    say = "{} of {} forwards here, after an eval(), trained in eval mode"
    moody = {e.object for e in stream.of("forward") if e.facts.get("moody")}
    yield from tally.witnesses("LL301", lambda c: say.format(c.bad, c.whole), lambda c: c.objects <= began & moody)
    yield from tally.witnesses("LL304", lambda c: say.format(c.bad, c.whole))


def _trained(stream: Stream) -> set[int]:
    """The forwards whose gradients a step used, of an optimizer that holds parameters of the module."""
    found: set[int] = set()
    modules = {e.n: e.object for e in stream.of("forward")}
    holders: dict[int, set[int]] = {}
    for event in stream.of("forward"):
        holders.setdefault(event.object, set()).update(event.facts.get("holders", ()))
    for optimizer in optimizers(stream):
        waiting: list[int] = []
        for event, _ in states(stream, optimizer):
            if event.kind == "backward":
                waiting += [n for n in event.facts.get("forwards", ()) if optimizer.id in holders.get(modules.get(n, 0), ())]
            elif event.kind in ("clear", "step"):
                found.update(waiting if event.kind == "step" else ())
                waiting = []
    return found


def _validation(stream: Stream, event: Event, training: set[int]) -> bool:
    """Whether a forward belongs to a pass over data in which nothing is trained."""
    return bool(event.batches) and bool(training) and not any(loader in training for loader, _, _ in event.batches)


def measured(stream: Stream) -> Iterator[Witness]:
    """LL302 and LL303: forwards that no backward used, in train mode or with a graph."""
    mode, graph, reached = Tally(), Tally(), reached_forwards(stream)
    training = {loader for e in stream.of("backward") for loader, _, _ in e.batches}
    alone: set[tuple[str, int]] = set()
    for event in _settled(stream):
        if stream.things[event.object].facts["parameters"] == 0:
            continue
        # Passes that only gather the statistics of batch norm are made in train mode, and use no output.
        unused = event.n not in reached and not event.facts.get("calibrates")
        mode.add(event.stack, unused and event.facts["training"] and event.facts.get("active", 0) > 0, event.object)
        graph.add(event.stack, unused and bool(event.facts.get("graph")), event.object)
        if event.stack and unused and _validation(stream, event, training):
            alone.add((event.file, event.line))
    for code, tally, say in (
        ("LL302", mode, "{} of {} forwards here, which no backward used, ran with dropout or running statistics active"),
        ("LL303", graph, "{} of {} forwards here built a graph that no backward used"),
    ):
        for witness in tally.witnesses(code, partial(_said, say), mostly(1)):
            yield replace(witness, alone=witness.alone and (witness.file, witness.line) in alone)


def _said(words: str, count: Count) -> str:
    return words.format(count.bad, count.whole)


def kept_graphs(stream: Stream) -> Iterator[Witness]:
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


def dead_parameters(stream: Stream) -> Iterator[Witness]:
    """LL501: moves after which an optimizer holds parameters that no module has, or state on another device."""
    tally = Tally()
    for optimizer in optimizers(stream):
        built = next((e.n for e in stream.of("construct") if e.object == optimizer.id), 0)
        for move in stream.of("move"):
            later = [s for s in steps_of(stream, optimizer) if s.n > move.n and "orphans" in s.facts]
            if later and move.n > built:
                bad = any(s.facts["orphans"] or s.facts["displaced"] for s in later)
                tally.add(move.stack, bad, optimizer.id, told=move.facts["changed"] > 0 or bool(stream.start.get("cuda")))
    say = "after {} of {} moves here an optimizer stepped on parameters that no module uses, or with state on another device or of another type"
    yield from tally.witnesses("LL501", lambda c: say.format(c.bad, c.whole), mostly(1))


def strays(stream: Stream) -> Iterator[Witness]:
    """LL502: assignments after which parameters get gradients and are in no optimizer."""
    tally = Tally()
    measured = [s for s in stream.of("step") if "strays" in s.facts]
    for event in stream.of("replace"):
        later = [s for s in measured if s.n > event.n]
        if later:
            tally.add(event.stack, any(s.facts["strays"] for s in later) and bool(event.facts["holders"]))
    say = "after {} of {} assignments here parameters got gradients that no optimizer holds"
    yield from tally.witnesses("LL502", lambda c: say.format(c.bad, c.whole), mostly(1))


def casts(stream: Stream) -> Iterator[Witness]:
    """LL503: conversions that gave another tensor, at the lines where static findings say that it is not used."""
    tally, cuda = Tally(), bool(stream.start.get("cuda"))
    for mark in stream.marked("cast"):
        # Where there is one device only, a tensor is always where it is to go.
        tally.add(mark.stack, mark.facts["changes"], told=cuda or mark.facts["method"] not in ("to", "cuda", "cpu", "type_as"))
    changed = sorted({" to ".join(m.facts["forms"]) for m in stream.marked("cast") if m.facts["changes"]})
    kinds = f" ({', '.join(changed[:3])})" if changed else ""
    yield from tally.witnesses(
        "LL503", lambda c: f"{c.bad} of {c.whole} conversions here gave another tensor, which was dropped{kinds if c.bad else ''}"
    )


def direct_forwards(stream: Stream) -> Iterator[Witness]:
    """LL504: forwards of modules called directly."""
    tally = Tally()
    for mark in stream.marked("direct"):
        tally.add(mark.stack, True)
    hooks = max((m.facts["hooks"] for m in stream.marked("direct")), default=0)
    words = f"; {hooks} hook{'s' if hooks != 1 else ''} of the module did not run" if hooks else "; the module has no hooks"
    yield from tally.witnesses("LL504", lambda c: f"{c.whole} forwards here went past the module's call{words}", harm=hooks > 0)
