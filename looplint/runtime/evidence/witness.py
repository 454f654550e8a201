"""What one run alone tells about the places of a program: for a rule and a place, how often the place ran and how often it did what the rule reports.

Signals measure a broken run beside its repair; a witness has no repair to compare with, and so judges single events and the state they meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from looplint.runtime.streams.stream import Frame, Stream


@dataclass(frozen=True, slots=True)
class Witness:
    """A place of the program in the light of one rule.

    `frames` are the place and the calls that led to it. `told` is how many of the times that it ran could have shown it: where none could, the
    run does not refute it. `alone` says that the run is enough to report it, without a static finding.
    """

    code: str
    file: str
    line: int
    frames: frozenset[tuple[str, int]]
    bad: int
    whole: int
    text: str
    alone: bool = False
    told: int = 1
    harm: bool = False  # whether the damage itself was seen, where the rule's observation alone does not say so


Judge = Callable[[Stream], Iterator[Witness]]


def anywhere(code: str, bad: bool, text: str, told: bool = True) -> Witness:
    """A witness of the whole program: no place of it can be hooked."""
    return Witness(code, "", 0, frozenset(), int(bad), 1, text, told=int(told))


@dataclass(slots=True)
class Count:
    """How often a place ran, how often badly, and how often it could have shown it."""

    bad: int = 0
    whole: int = 0
    told: int = 0
    frames: set[tuple[str, int]] = field(default_factory=set)
    objects: set[int] = field(default_factory=set)


class Tally:
    """Counts per place."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, int], Count] = {}

    def add(self, stack: tuple[Frame, ...], bad: bool, number: int = 0, *, told: bool = True) -> None:
        """Counts one event at the innermost place of a stack; events outside of the user's code count nowhere.

        An event that is not bad refutes a finding only where it was `told`: where what the rule reports would have shown in it.
        """
        if not stack:
            return
        count = self.places.setdefault((stack[-1].file, stack[-1].line), Count())
        count.whole += 1
        count.bad += bad
        count.told += bad or told
        count.frames.update((frame.file, frame.line) for frame in stack)
        if bad:
            count.objects.add(number)

    def witnesses(
        self, code: str, say: Callable[[Count], str], alone: Callable[[Count], bool] | None = None, *, harm: bool = False
    ) -> Iterator[Witness]:
        """A witness for each place; `say` puts its count into words."""
        for (file, line), count in self.places.items():
            certain = count.bad > 0 and alone is not None and alone(count)
            yield Witness(code, file, line, frozenset(count.frames), count.bad, count.whole, say(count), certain, count.told, harm)


def mostly(least: int = 2) -> Callable[[Count], bool]:
    """Bad in at least half of the times that a place ran, and it ran often enough to tell."""
    return lambda count: count.whole >= least and count.bad >= 0.5 * count.whole


def fails(code: str, words: str) -> Judge:
    """The error that ends the run, where it says what the rule reports."""

    def judge(stream: Stream) -> Iterator[Witness]:
        error = stream.end.get("error") or {}
        if words in error.get("message", ""):
            frames = [(file, line) for file, line, _ in error["frames"]]
            yield Witness(code, *frames[-1], frozenset(frames), 1, 1, f"{error['type']}: {error['message']}")

    return judge
