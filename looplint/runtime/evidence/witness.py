"""What a single run shows at the places of a program: for a rule and a place, how often the place ran and how often it did what the rule reports.

Signals measure a broken run beside its repair; a witness has no repair to compare with, and judges single events and the state they meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from looplint.runtime.streams.stream import Frame, Stream

Place: TypeAlias = tuple[str, int]  # a file and a line


class Passed(NamedTuple):
    """A stack in which a bug would have shown, and did not: its places, and whether it begins in a function, as those of threads and further processes do."""

    places: frozenset[Place]
    threaded: bool


@dataclass(frozen=True, slots=True)
class Witness:
    """What a run shows of one rule at one place of the program.

    `frames` are the place and the calls that led to it. `decisive` is in how many of its executions the bug would have shown: where in none, the
    run does not refute it. `alone`: the run is enough to report it, without a static finding. `passed`: the stacks of those executions in which it would
    have shown and did not.
    """

    code: str
    file: str
    line: int
    frames: frozenset[Place]
    bad: int
    whole: int
    text: str
    alone: bool = False
    decisive: int = 1
    harm: bool = False  # whether the damage itself was measured, where the rule's observation is not the damage
    passed: tuple[Passed, ...] = ()


Judge = Callable[[Stream], Iterator[Witness]]


def anywhere(code: str, bad: bool, text: str, decisive: bool = True) -> Witness:
    """A witness of the whole program: no place of it can be hooked."""
    return Witness(code, "", 0, frozenset(), int(bad), 1, text, decisive=int(decisive))


@dataclass(slots=True)
class Count:
    """How often a place ran, how often badly, and how often the bug would have shown.

    `objects` are those of which something bad was seen, `open` those of which nothing was seen yet that would decide: a finding may be about one of them.
    """

    bad: int = 0
    whole: int = 0
    decisive: int = 0
    frames: set[Place] = field(default_factory=set)
    objects: set[int] = field(default_factory=set)
    decided: set[int] = field(default_factory=set)
    open: set[int] = field(default_factory=set)
    stacks: dict[int, Passed] = field(default_factory=dict)  # the places of each, by its identity: the stream holds them
    passed: set[int] = field(default_factory=set)  # the stacks in which the bug would have shown, and did not


class Tally:
    """Counts per place."""

    def __init__(self) -> None:
        self.places: dict[Place, Count] = {}

    def add(self, stack: tuple[Frame, ...], bad: bool, number: int = 0, *, decisive: bool = True) -> None:
        """Counts one event at the innermost place of a stack; events outside of the user's code count nowhere.

        An event that is not bad refutes a finding only where it is `decisive`: where what the rule reports would have shown in it. `number` is the object
        that it happened to: where several come to a place, a finding there is refuted only when each of them was seen to do right.
        """
        if not stack:
            return
        count = self.places.setdefault((stack[-1].file, stack[-1].line), Count())
        count.whole += 1
        count.bad += bad
        count.decisive += bad or decisive
        if bad or decisive:
            count.decided.add(number)
            count.open.discard(number)
        elif number not in count.decided:
            count.open.add(number)
        if bad:
            count.objects.add(number)
        if id(stack) not in count.stacks:
            known = count.stacks[id(stack)] = Passed(frozenset((f.file, f.line) for f in stack), stack[0].function != "<module>")
            count.frames |= known.places
        if decisive and not bad:
            count.passed.add(id(stack))

    def witnesses(
        self, code: str, say: Callable[[Count], str], alone: Callable[[Count], bool] | None = None, *, harm: bool = False
    ) -> Iterator[Witness]:
        """A witness for each place; `say` puts its count into words."""
        for (file, line), count in self.places.items():
            certain = count.bad > 0 and alone is not None and alone(count)
            frames, passed = frozenset(count.frames), tuple(count.stacks[stack] for stack in sorted(count.passed))
            decisive = count.decisive if not count.open or count.bad else 0
            yield Witness(code, file, line, frames, count.bad, count.whole, say(count), certain, decisive, harm, passed)


def mostly(least: int = 2) -> Callable[[Count], bool]:
    """Bad in at least half of the times that a place ran, and it ran often enough to tell."""
    return lambda count: count.whole >= least and count.bad >= 0.5 * count.whole


def fails(code: str, words: str) -> Judge:
    """The error that ends the run, where it says what the rule reports."""

    def judge(stream: Stream) -> Iterator[Witness]:
        error = stream.end.get("error") or {}
        if words in error.get("message", ""):
            text = f"{error['type']}: {error['message']}"
            frames = [(file, line) for file, line, _ in error["frames"]]
            # The error of a process that the script started has no places.
            yield Witness(code, *frames[-1], frozenset(frames), 1, 1, text) if frames else anywhere(code, True, text)

    return judge
