"""What is done again in each batch or step, and other waste."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.questions import trained_batches
from looplint.runtime.evidence.signals import Measure, Signal, share
from looplint.runtime.evidence.witness import Count, Judge, Place, Tally, Witness
from looplint.runtime.streams.stream import Mark, Stream


def in_each_batch(kind: str, words: str) -> Measure:
    """Measures a claim that each training batch does something which the repaired run does seldom or never."""

    def count(stream: Stream) -> tuple[int, int]:
        batches = trained_batches(stream)
        met = {tuple(position) for mark in stream.marked(kind) for position in mark.facts["loops"]}
        return len(batches & met), len(batches)

    def signal(run: Stream, right: Stream) -> Signal:
        (mine, whole), (others, whole_right) = count(run), count(right)
        often, seldom = share(mine, whole), share(others, whole_right)
        return Signal(
            often > 0.5 and often > 2 * seldom, round(often, 4), f"{mine} of {whole} training batches {words} (repaired: {others})"
        )

    return signal


def where_in_each_batch(code: str, kinds: Collection[str], words: str) -> Judge:
    """Judges places that do something in each training batch. (Formatting with `%` reads the number and formats that.)"""

    def judge(stream: Stream) -> Iterator[Witness]:
        batches = trained_batches(stream)
        tally, met, passes = Tally(), dict[Place, set[tuple[int, int, int]]](), Counter((loader, number) for loader, number, _ in batches)
        for mark in stream.marks:
            if mark.kind in kinds and mark.stack:
                place = (mark.stack[-1].file, mark.stack[-1].line)
                here = batches & {tuple(position) for position in mark.facts["loops"]}
                tally.add(mark.stack, bool(here - met.get(place, set())))
                met.setdefault(place, set()).update(here)
        for place, count in tally.places.items():
            # Those of the passes in which the place ran: another loop trains on batches of its own.
            whole = sum(passes[one] for one in {batch[:2] for batch in met[place]}) or len(batches)
            seldom = count.bad <= 0.5 * whole
            text = f"{count.bad} of {whole} training batches {words} here"
            yield Witness(code, *place, frozenset(count.frames), 0 if seldom else count.bad, count.whole, text, decisive=int(whole > 1))

    return judge


def filled_with_zeros(run: Stream, right: Stream) -> Signal:
    """LP006: clears that leave gradients in memory."""

    def count(stream: Stream) -> tuple[int, int, int]:
        clears = stream.of("clear")
        return sum(bool(e.facts.get("kept")) for e in clears), len(clears), max((e.facts.get("kept_bytes", 0) for e in clears), default=0)

    (mine, whole, size), (others, _, _) = count(run), count(right)
    return Signal(
        mine > others,
        float(mine),
        f"{mine} of {whole} clears filled gradients with zeros and left {size:,} bytes of them (repaired: {others})",
    )


def where_filled_with_zeros(stream: Stream) -> Iterator[Witness]:
    """LP006: clears that leave gradients in memory."""
    tally = Tally()
    for event in stream.of("clear"):
        tally.add(event.stack, bool(event.facts.get("kept")), event.object, decisive=event.facts.get("grads", 1) > 0)
    yield from tally.witnesses("LP006", lambda c: f"{c.bad} of {c.whole} clears here filled gradients with zeros and kept them in memory")


def names_old_amp(mark: Mark) -> bool:
    """Whether a warning is the one that torch gives for the functions of torch.cuda.amp and torch.cpu.amp."""
    return ".amp." in mark.facts["message"] and mark.facts["category"] == "FutureWarning"


def deprecations(run: Stream, right: Stream) -> Signal:
    """LP007: warnings that name the old functions."""
    mine, others = (sum(map(names_old_amp, s.marked("warning"))) for s in (run, right))
    return Signal(mine > others, float(mine), f"{mine} FutureWarnings named torch.cuda.amp or torch.cpu.amp (repaired: {others})")


def where_deprecations(stream: Stream) -> Iterator[Witness]:
    """LP007: warnings that name the old functions; Python shows each once per place."""
    tally = Tally()
    for mark in stream.marked("warning"):
        if names_old_amp(mark):
            tally.add(mark.stack, True)
    yield from tally.witnesses("LP007", lambda c: "torch warned here, with a FutureWarning, that the name is deprecated")


def updates_per_step(stream: Stream) -> dict[int, float]:
    """How often a layer updates its running statistics for each step of an optimizer that holds it; of the layer that does it most."""
    marks = stream.marked("statistics")
    layers = Counter(m.facts["layer"] for m in marks)
    holders: dict[int, set[int]] = {}
    for mark in marks:
        holders.setdefault(mark.facts["layer"], set()).update(mark.facts.get("holders", ()))
    found: dict[int, float] = {}
    for optimizer, steps in Counter(e.object for e in stream.of("step")).items():
        # A layer without parameters may be in any model.
        own = [count for layer, count in layers.items() if optimizer in holders[layer] or not holders[layer]]
        if own:
            found[optimizer] = max(own) / steps
    return found


def statistics_per_step(run: Stream, right: Stream) -> Signal:
    """LP009."""
    mine, others = (max(updates_per_step(s).values(), default=0.0) for s in (run, right))
    sizes = [m.facts["batch"] for m in run.marked("statistics")]
    text = f"running statistics were updated {mine:.2f} times for each step (repaired: {others:.2f}), from batches of at most {max(sizes, default=0)} examples"
    return Signal(mine > 1.5 and mine > 1.5 * others, round(mine, 4), text)


def where_statistics_per_step(stream: Stream) -> Iterator[Witness]:
    """LP009: steps of optimizers, and the updates of running statistics in the layers that they hold."""
    tally, updates = Tally(), updates_per_step(stream)
    steps = Counter(e.object for e in stream.of("step"))
    for step in stream.of("step"):
        most = updates.get(step.object, 0.0)
        tally.add(step.stack, most > 1.5, step.object, decisive=step.object in updates and steps[step.object] > 1)

    def say(count: Count) -> str:
        most = max((updates[n] for n in count.objects or count.decided), default=0.0)
        return f"running statistics were updated {most:.2f} times for each step here"

    yield from tally.witnesses("LP009", say)


CLAIMS = (
    Claim(
        "LL403",
        in_each_batch("text", "formatted a tensor"),
        Observation(
            where_in_each_batch("LL403", ("text", "read"), "formatted a tensor"),
            needs="two training batches",
            confirms="a tensor that is formatted in most training batches",
            channels=("costs", "backwards", "loaders"),
        ),
    ),
    Claim(
        "LP004",
        in_each_batch("read", "read a tensor's value"),
        Observation(
            where_in_each_batch("LP004", ("read",), "read a tensor's value"),
            needs="two training batches",
            confirms="a read of a tensor in most training batches",
            channels=("costs", "backwards", "loaders"),
        ),
    ),
    Claim(
        "LP005",
        in_each_batch("release", "released the cached memory"),
        Observation(
            where_in_each_batch("LP005", ("release",), "released the cached memory"),
            needs="two training batches",
            confirms="freed memory in most training batches",
            channels=("costs", "backwards", "loaders"),
        ),
    ),
    Claim(
        "LP006",
        filled_with_zeros,
        Observation(
            where_filled_with_zeros,
            needs="a clear of gradients that are there",
            confirms="a clear that leaves gradients in memory",
            channels=("clears",),
            compared=True,
        ),
    ),
    Claim(
        "LP007",
        deprecations,
        Observation(
            where_deprecations,
            needs="a warning",
            confirms="torch's warning of the old name",
            channels=("costs",),
        ),
    ),
    Claim(
        "LP009",
        statistics_per_step,
        Observation(
            where_statistics_per_step,
            needs="two steps, and a forward through layers with running statistics",
            confirms="several updates of running statistics for each step",
            channels=("costs", "steps"),
            turns=2,
        ),
    ),
)
