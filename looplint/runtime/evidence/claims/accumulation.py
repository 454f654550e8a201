"""Several backwards for one step: their sum, what is left of it, and what another optimizer left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from linecache import getline

from looplint.runtime.evidence.claim import GRADIENTS, Claim, Observation
from looplint.runtime.evidence.questions import fills, norms, optimizers, states, steps_of
from looplint.runtime.evidence.signals import Signal, per_optimizer, share
from looplint.runtime.evidence.witness import Tally, Witness
from looplint.runtime.streams.stream import Event, Stream, Thing

SUMMED = " sum"  # after the name of a loss's operation that adds up its batch


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


def where_accumulated_unscaled(stream: Stream) -> Iterator[Witness]:
    """LL108: backwards that add up for a step, and whose loss was not divided."""
    tally, most, named = Tally(), 1, set[tuple[str, int]]()
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
                    # What a loss was divided by, or multiplied with, is not known: it may be a weight.
                    bad = added and not any(name.startswith(("Div", "Mul")) for name in chain[:3])
                    tally.add(place, bad, optimizer.id, decisive=not added and stepped)
                    if bad and chain and _is_mean(chain) and _accumulates(since[-1]):
                        named.add((place[-1].file, place[-1].line))
                since, stepped = [], True
        if not stepped:
            for event in since:
                tally.add(event.stack, False, optimizer.id, decisive=False)
    for witness in tally.witnesses(
        "LL108",
        lambda c: f"{c.bad} of {c.whole} steps used the sum of up to {most} backwards from here, of losses that were not divided",
        lambda c: c.bad == c.whole > 1,
    ):
        yield replace(witness, alone=witness.alone and (witness.file, witness.line) in named)


def _accumulates(backward: Event) -> bool:
    """Whether the loop around a backward says by its name that it accumulates. The run alone does not tell that from a sum of several losses."""
    return bool(backward.loops) and "accum" in getline(*backward.loops[-1][:2]).lower()


def _is_mean(chain: list[str]) -> bool:
    """Whether a loss is the mean over its batch, as far as its last operations tell: no sum, and no factor behind it."""
    return not any(name.startswith(("Div", "Mul", "Sum")) or name.endswith(SUMMED) for name in chain)


def _operations(backward: Event) -> list[str]:
    """A loss's last operations, without the multiplication by a scaler."""
    chain: list[str] = backward.facts["chain"]
    return [name for name in chain if name != "Scale"]


def backwards_left(stream: Stream, optimizer: Thing) -> int:
    """How many backwards came after the last step of an optimizer, and filled its gradients; none where it never steps."""
    steps = steps_of(stream, optimizer)
    return sum(fills(e, optimizer) for e in stream.events if e.n > steps[-1].n) if steps else 0


def left_over(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    mine, others = backwards_left(run, optimizer), backwards_left(right, match) if match is not None else 0
    return Signal(mine > others, float(mine), f"{mine} backwards came after the last step of {optimizer.name} (repaired: {others})")


def where_left_over(stream: Stream) -> Iterator[Witness]:
    """LL111: the steps of optimizers that got further gradients after their last one, in a run that came to its end."""
    tally = Tally()
    for optimizer in optimizers(stream) if stream.over else ():
        left = backwards_left(stream, optimizer) > 0
        for step in steps_of(stream, optimizer):
            tally.add(step.stack, left, optimizer.id)
    yield from tally.witnesses(
        "LL111", lambda c: f"{len(c.objects)} optimizers that step here got gradients after their last step, which no step used"
    )


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


def where_foreign_applied(stream: Stream) -> Iterator[Witness]:
    """LL112: steps on gradients of which another optimizer's phase left a part."""
    tally = Tally()
    for step, bad in steps_on_foreign(stream):
        tally.add(step.stack, bad, step.object)
    yield from tally.witnesses("LL112", lambda c: f"{c.bad} of {c.whole} steps here also used what another optimizer's phase had left")


CLAIMS = (
    Claim(
        "LL108",
        per_optimizer(accumulated_norm),
        Observation(
            where_accumulated_unscaled,
            needs="a second step, and one backward from here for each",
            confirms="a step on the sum of several backwards whose losses were not divided",
            channels=GRADIENTS,
            turns=1,
            compared=True,
        ),
    ),
    Claim(
        "LL111",
        per_optimizer(left_over),
        Observation(
            where_left_over,
            needs="the end of the script",
            confirms="a backward after the last step",
            channels=GRADIENTS,
            harm=True,
        ),
    ),
    Claim(
        "LL112",
        foreign_applied,
        Observation(
            where_foreign_applied,
            needs="a step on gradients of several backwards",
            confirms="a step on gradients that a backward left after which another optimizer stepped first",
            channels=GRADIENTS,
            turns=1,
            harm=True,
        ),
    ),
)
