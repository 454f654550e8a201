"""Which parameters the optimizers hold."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.questions import optimizers, steps_of
from looplint.runtime.evidence.signals import Signal, crashes, per_optimizer, share
from looplint.runtime.evidence.witness import Tally, Witness, anywhere, mostly
from looplint.runtime.streams.stream import Stream, Thing

GRAPHLESS = "does not require grad and does not have a grad_fn"


def most_in_steps(stream: Stream, optimizer: Thing | None, fact: str) -> int:
    return max((int(s.facts.get(fact, 0)) for s in steps_of(stream, optimizer)), default=0) if optimizer else 0


def dead_parameters(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    orphans, displaced = most_in_steps(run, optimizer, "orphans"), most_in_steps(run, optimizer, "displaced")
    shown = orphans > most_in_steps(right, match, "orphans") or displaced > most_in_steps(right, match, "displaced")
    text = f"{orphans} of {optimizer.name}'s parameters are in no module that ran, the state of {displaced} is on another device or of another type"
    return Signal(shown, float(orphans + displaced), text)


def where_dead_parameters(stream: Stream) -> Iterator[Witness]:
    """LL501: moves after which an optimizer holds parameters that no module has, or state on another device."""
    tally = Tally()
    for optimizer in optimizers(stream):
        built = next((e.n for e in stream.of("construct") if e.object == optimizer.id), 0)
        for move in stream.of("move"):
            if optimizer.id not in move.facts["holders"] or move.n < built:
                continue
            later = [s for s in steps_of(stream, optimizer) if s.n > move.n and "orphans" in s.facts]
            if later:
                bad = any(s.facts["orphans"] or s.facts["displaced"] for s in later)
                tally.add(move.stack, bad, optimizer.id, decisive=move.facts["changed"] > 0 or bool(stream.gpu))
    say = "after {} of {} moves here an optimizer stepped on parameters that no module uses, or with state on another device or of another type"
    yield from tally.witnesses("LL501", lambda c: say.format(c.bad, c.whole), mostly(1))


def strays(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    mine, others = most_in_steps(run, optimizer, "strays"), most_in_steps(right, match, "strays")
    return Signal(mine > others, float(mine), f"{mine} parameters get gradients and are held by no optimizer (repaired: {others})")


def where_strays(stream: Stream) -> Iterator[Witness]:
    """LL502: assignments of parameters that get gradients and are in no optimizer."""
    tally, assigned = Tally(), dict[str, list[int]]()  # by assignment: how many of its parameters each measured step left out
    for step in stream.of("step"):
        for number, left_out in step.facts.get("assigned", {}).items():
            assigned.setdefault(number, []).append(left_out)
    for event in stream.of("replace"):
        if left_out := assigned.get(str(event.n)):
            tally.add(event.stack, any(left_out) and bool(event.facts["holders"]))
    say = "{} of {} assignments here were of parameters that got gradients and that no optimizer holds"
    yield from tally.witnesses("LL502", lambda c: say.format(c.bad, c.whole), mostly(1))


def held_parameters(run: Stream, right: Stream) -> Signal:
    mine, others = (sum(o.facts["parameters"] for o in optimizers(s)) for s in (run, right))
    return Signal(mine < others, float(mine), f"the optimizers hold {mine} parameters (repaired: {others})")


def all_frozen(run: Stream, right: Stream) -> Signal:
    """Steps of parameters that take no gradients; or the backward that fails where nothing does."""
    steps = run.of("step")
    found = sum(bool(e.facts.get("frozen")) for e in steps)
    failed = crashes("RuntimeError", GRAPHLESS)(run, right)
    if failed.shown:
        return failed
    return Signal(found > 0, share(found, len(steps)), f"{found} of {len(steps)} steps were of parameters that are all frozen")


def where_all_frozen(stream: Stream) -> Iterator[Witness]:
    """LL507: steps of parameters that take no gradients, and the error where nothing takes any."""
    error = stream.end.get("error") or {}
    if GRAPHLESS in error.get("message", "") and any(e.facts.get("error") and e.facts["frozen"] for e in stream.of("backward")[-1:]):
        yield anywhere("LL507", True, f"{error['type']}: {error['message']}")
    tally = Tally()
    for step in stream.of("step"):
        tally.add(step.stack, bool(step.facts.get("frozen")), step.object)
    yield from tally.witnesses("LL507", lambda c: f"{c.bad} of {c.whole} steps here were of parameters that are all frozen", mostly(1))


CLAIMS = (
    Claim(
        "LL501",
        per_optimizer(dead_parameters),
        Observation(
            where_dead_parameters,
            needs="a move that changes a device or a type, and a later step of an optimizer that holds the module's parameters",
            confirms="a step on parameters that no module uses, or with a state elsewhere",
            channels=("optimizers", "steps", "moves", "changes"),
            turns=1,
            cuda=True,
            harm=True,
        ),
    ),
    Claim(
        "LL502",
        per_optimizer(strays),
        Observation(
            where_strays,
            needs="an assignment, and gradients of what it assigned, or its optimizer, at a later step",
            confirms="gradients of the assigned parameters, which no optimizer holds",
            channels=("optimizers", "steps", "parts", "changes"),
            turns=1,
            harm=True,
        ),
    ),
    Claim(
        "LL505",
        held_parameters,
    ),
    Claim(
        "LL508",
        held_parameters,
    ),
    Claim(
        "LL507",
        all_frozen,
        Observation(
            where_all_frozen,
            needs="a step, or a backward that fails for want of a graph",
            confirms="a step of parameters that are all frozen, or the error of a loss without a graph",
            channels=("steps",),
            harm=True,
        ),
    ),
)
