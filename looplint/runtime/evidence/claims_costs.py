"""The claims of the rules on costs (LP and LL403): what each batch makes the program wait for, and what is done again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from looplint.runtime.evidence.claims import Measure, Signal, share
from looplint.runtime.streams.stream import Mark, Stream

# What only an accelerator can show: elsewhere there is no copy.
ON_ACCELERATOR = frozenset({"LP002", "LP003"})
# What is measured by hooks that other runs do without.
CODES = frozenset({"LP002", "LP003", "LP004", "LP005", "LP007", "LP009", "LL403"})


def trained_batches(stream: Stream) -> set[tuple[int, int, int]]:
    """The batches of loaders that some backward used: loader, pass and number."""
    return {batch for e in stream.of("backward") for batch in e.batches}


def in_each_batch(kind: str, words: str) -> Measure:
    """A claim that each batch of the training does something, which the repaired run does seldom or never."""

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


def made_in_process(run: Stream, right: Stream) -> Signal:
    """LP001: the training batches of loaders without workers."""

    def count(stream: Stream) -> tuple[int, int]:
        batches = trained_batches(stream)
        return sum(not stream.things[loader].facts["workers"] for loader, _, _ in batches), len(batches)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(mine > others, float(mine), f"{mine} of {whole} training batches were made in the training process (repaired: {others})")


def workers_started(run: Stream, right: Stream) -> Signal:
    """LP008: worker processes, against those that one pass needs."""

    def count(stream: Stream) -> tuple[int, int]:
        passes = stream.marked("pass")
        return sum(m.facts.get("started", 0) for m in passes), sum(bool(stream.things[m.facts["object"]].facts["workers"]) for m in passes)

    (mine, passes), (others, _) = count(run), count(right)
    return Signal(mine > others, float(mine), f"{mine} worker processes were started for {passes} passes (repaired: {others})")


def names_old_amp(mark: Mark) -> bool:
    """Whether a warning is the one that torch gives for the functions of torch.cuda.amp and torch.cpu.amp."""
    return ".amp." in mark.facts["message"] and mark.facts["category"] == "FutureWarning"


def updates_per_step(stream: Stream) -> float:
    """How many batches a layer takes into its running statistics for each step; of the layer that takes most."""
    layers = Counter(m.facts["layer"] for m in stream.marked("statistics"))
    return share(max(layers.values(), default=0), len(stream.of("step")))


def is_staged(mark: Mark) -> bool:
    """Whether a copy that is not to wait has to be staged first."""
    return not mark.facts["pinned"] and not mark.facts["waits"]


def is_waited_for(mark: Mark) -> bool:
    """Whether a copy that could go on alone is waited for."""
    return bool(mark.facts["pinned"] and mark.facts["waits"])


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


def deprecations(run: Stream, right: Stream) -> Signal:
    """LP007: warnings that name the old functions."""
    mine, others = (sum(map(names_old_amp, s.marked("warning"))) for s in (run, right))
    return Signal(mine > others, float(mine), f"{mine} FutureWarnings named torch.cuda.amp or torch.cpu.amp (repaired: {others})")


def statistics_per_step(run: Stream, right: Stream) -> Signal:
    """LP009."""
    mine, others = updates_per_step(run), updates_per_step(right)
    sizes = [m.facts["batch"] for m in run.marked("statistics")]
    text = f"running statistics were updated {mine:.2f} times for each step (repaired: {others:.2f}), from batches of at most {max(sizes, default=0)} examples"
    return Signal(mine > 1.5 and mine > 1.5 * others, round(mine, 4), text)


def copied(test: Callable[[Mark], bool], words: str) -> Measure:
    """A claim on the copies of batches to an accelerator (LP002, LP003)."""

    def signal(run: Stream, right: Stream) -> Signal:
        mine, others = (sum(test(m) for m in s.marked("copy")) for s in (run, right))
        return Signal(mine > others, float(mine), f"{mine} of {len(run.marked('copy'))} copies {words} (repaired: {others})")

    return signal


STAGED = "were asked not to wait and came from memory that is not pinned"
WAITED_FOR = "from pinned memory were waited for"
staged, waited_for = copied(is_staged, STAGED), copied(is_waited_for, WAITED_FOR)
