"""What losses are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.signals import Measure, Signal, share
from looplint.runtime.evidence.witness import Count, Tally, Witness, mostly
from looplint.runtime.streams.stream import Frame, Stream

SEVERAL = 8  # inputs of a loss, all of which seldom are between 0 and 1 by chance


def loss_input(function: str, fact: str, words: str) -> Measure:
    def signal(run: Stream, right: Stream) -> Signal:
        marks = [m for m in run.marked("loss") if m.facts["function"] == function]
        found = sum(bool(m.facts.get(fact)) for m in marks)
        return Signal(
            found > 0 and found >= 0.5 * len(marks),
            share(found, len(marks)),
            f"{found} of {len(marks)} measured inputs of {function} {words}",
        )

    return signal


def refused(run: Stream, right: Stream) -> Signal:
    """LL703: the loss fails. A GPU says only that an assertion failed, and perhaps later: what the loss was given before tells which one."""
    error = run.end.get("error") or {}
    first = next(iter(error.get("message", "").splitlines()), "")
    given = any(m.facts["function"] == "binary_cross_entropy" and not m.facts["in_unit"] for m in run.marked("loss"))
    shown = "between 0 and 1" in first or ("device-side assert" in first and given)
    return Signal(shown, None, f"{error['type']}: {first[:120]}" if error else "no error")


def where_loss_inputs(stream: Stream) -> Iterator[Witness]:
    """LL701 to LL703: the inputs of losses, in the sampled calls."""
    for code, function, words in (
        ("LL701", "cross_entropy", "lay between 0 and 1, as probabilities do"),
        ("LL702", "binary_cross_entropy_with_logits", "lay between 0 and 1, as probabilities do"),
        ("LL703", "binary_cross_entropy", "were no probabilities"),
    ):
        tally, seen = Tally(), Counter[tuple[Frame, ...]]()
        for mark in stream.marked("loss"):
            if mark.facts["function"] == function:
                bad = mark.facts["in_unit"] is not (code == "LL703")
                seen[mark.stack[-1:]] += 1
                # A few logits may lie between 0 and 1 by chance.
                decisive = code != "LL703" or seen[mark.stack[-1:]] >= SEVERAL
                tally.add(mark.stack, bad, int(bool(mark.facts.get("sums_to_one"))), decisive=decisive)
        alone = {"LL701": _sums_to_one, "LL702": None, "LL703": mostly(1)}[code]
        yield from tally.witnesses(code, partial(_inputs_said, words), alone)


def _sums_to_one(count: Count) -> bool:
    """Whether the inputs of a place are those of a softmax: values between 0 and 1 may occur by chance, sums of one in every row do not."""
    return mostly(2)(count) and count.objects == {1}


def _inputs_said(words: str, count: Count) -> str:
    return f"{count.bad} of {count.whole} measured inputs of the loss here {words}"


CLAIMS = (
    Claim(
        "LL701",
        loss_input("cross_entropy", "in_unit", "were probabilities already"),
        Observation(
            where_loss_inputs,
            needs="an input of the loss",
            confirms="probabilities where logits belong",
            channels=("losses",),
        ),
    ),
    Claim(
        "LL702",
        loss_input("binary_cross_entropy_with_logits", "in_unit", "were probabilities already"),
        Observation(
            where_loss_inputs,
            needs="an input of the loss",
            confirms="probabilities where logits belong",
            channels=("losses",),
        ),
    ),
    Claim(
        "LL703",
        refused,
        Observation(
            where_loss_inputs,
            needs="eight inputs of the loss",
            confirms="values that are no probabilities",
            channels=("losses",),
            harm=True,
        ),
    ),
)
