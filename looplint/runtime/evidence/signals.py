"""What signals are made of: a measure of a rule's claim on a recorded stream, beside the stream of the expert's repair.

A measure takes the stream of the run in question and the stream of the expert's repair, and returns whether the run shows the rule's damage.
The repair's stream is the measure for what is only large or small by comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from looplint.runtime.evidence.questions import optimizers
from looplint.runtime.streams.stream import Stream, Thing


@dataclass(frozen=True, slots=True)
class Signal:
    """Whether a run shows what the rule claims, by how much, and in words."""

    shown: bool
    value: float | None
    text: str


Measure = Callable[[Stream, Stream], Signal]


def worst(signals: Iterable[Signal], otherwise: str) -> Signal:
    """The signal that shows most."""
    return max(signals, key=lambda s: (s.shown, abs(s.value or 0.0)), default=Signal(False, None, otherwise))


def per_optimizer(measure: Callable[[Stream, Thing, Stream, Thing | None], Signal]) -> Measure:
    """A signal per optimizer: the run shows it when one of them does. They are matched with the repair's in the order in which they were built."""

    def signal(run: Stream, right: Stream) -> Signal:
        matches = optimizers(right)
        pairs = [(o, matches[i] if i < len(matches) else None) for i, o in enumerate(optimizers(run))]
        return worst((measure(run, o, right, match) for o, match in pairs), "no optimizer was built")

    return signal


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def crashes(kind: str, words: str) -> Measure:
    """A claim that the script fails with a certain error."""

    def signal(run: Stream, right: Stream) -> Signal:
        error = run.end.get("error") or {}
        shown = error.get("type") == kind and words in error.get("message", "")
        return Signal(shown, None, f"{error['type']}: {error['message'][:120]}" if error else "no error")

    return signal


def same_end(a: Stream, b: Stream) -> bool | None:
    """Whether two runs end with bitwise the same parameters; None where there were none to compare.

    Where everything that the second run's optimizers hold is in its modules, these decide: an optimizer may also hold what no model uses any more.
    """
    (ours, modules), (others, other_modules) = _end(a), _end(b)
    in_modules = {digest for tensors in other_modules for _, digest in tensors}
    if modules and all(digest in in_modules for held in others for digest in held):
        return modules == other_modules
    return (ours, modules) == (others, other_modules) if any((*ours, *others, *modules, *other_modules)) else None


def _end(stream: Stream) -> tuple[list[list[str]], list[list[tuple[str, str]]]]:
    end = stream.end
    return [o["end"] for o in end.get("optimizers", ())], [list(m["tensors"].items()) for m in end.get("modules", ())]
