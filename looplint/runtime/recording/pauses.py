"""Lets iterations pass unmeasured that are like those before: they show nothing new, and recording them would take most of a short iteration's time.

An iteration is what happens up to an optimizer's step: the calls of the script's own lines that train (forwards, backwards, clears, clips,
steps and changes of the mode), in their order. After some iterations that were all known, the recorder pauses: of most of those that follow
it only looks whether they make the calls of a known one, on the same objects and from the same stacks. A call that fits none ends the pause,
and so does whatever happens seldom (a schedule, a pass over a loader, a checkpoint): from there on all is recorded again. A `pause` record
says how many iterations passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from looplint.runtime.recording.channels import Channel

if TYPE_CHECKING:
    from looplint.runtime.recording.tape import Tape

ALIKE, AGAIN = 32, 8  # iterations in a row that are known: before the first pause, and before each later one
PASSED = 56  # iterations that a pause lasts at most
_KNOWN = 32  # kinds of iterations that are remembered
_CALLS = 512  # of one iteration; what makes more is recorded throughout
# The channels whose calls end a pause: what they tell is rare, and changes what the iterations after it are.
ENDING: frozenset[Channel] = frozenset({"optimizers", "moves", "parts", "schedules", "loaders", "seeds", "files", "states", "scalers"})
# What was measured of an event, which nothing says of another that is like it.
_MEASURED = frozenset({"loss", "norm", "largest", "change", "rss", "cuda", "forwards", "chain"})

# From the arguments of a call, what tells it from others that the same line makes.
Alike: TypeAlias = Callable[..., Hashable]
Calls: TypeAlias = tuple[Hashable, ...]
# Events, each after how many calls of its iteration it was written, with its record and its own facts of that.
Records: TypeAlias = tuple[tuple[int, Mapping[str, Any], Mapping[str, Any]], ...]


class Pauses:
    """The iteration that is running, those that are known, and whether the recorder pauses."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.allowed = True
        self.active = False
        self._calls: list[Hashable] = []
        self._records: list[tuple[int, Mapping[str, Any], Mapping[str, Any]]] = []
        self._known: dict[Calls, Records] = {}
        self._fitting: list[Calls] = []  # in a pause: the known iterations that begin as the running one does
        self._regular, self._needed = 0, ALIKE
        self._passed: list[Calls] = []

    def note(self, record: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
        """Notes an event of the running iteration."""
        if self.allowed and len(self._calls) <= _CALLS:
            self._records.append((len(self._calls), record, facts))

    def passes(self, call: Hashable) -> bool:
        """Notes a call of the running iteration, where pauses are allowed, and says whether it is one to let pass."""
        calls = self._calls
        if len(calls) > _CALLS:
            return False
        call = (call, self._tape.places.key())
        if not self.active:
            calls.append(call)
            return False
        position = len(calls)
        fitting = [known for known in self._fitting if len(known) > position and known[position] == call]
        if not fitting:
            self.end()
            calls.append(call)
            return False
        self._fitting = fitting
        calls.append(call)
        return True

    def step(self) -> None:
        """An iteration is over: a step was taken."""
        if not self.allowed:
            return
        calls = tuple(self._calls)
        if self.active and calls not in self._fitting:
            self.end()  # it made fewer calls than any that is known
        if self.active:
            self._passed.append(calls)
            self._note_reached()
            if len(self._passed) >= PASSED:
                self._resume()
        else:
            known = calls in self._known
            if known or (len(self._known) < _KNOWN and len(calls) <= _CALLS):
                self._known[calls] = tuple(self._records)
            self._regular = self._regular + 1 if known else 0
            self.active = self._regular >= self._needed
        self._calls, self._records = [], []
        self._fitting = list(self._known) if self.active else []

    def end(self) -> None:
        """Records on from here. What the running iteration did so far is written as its like did it, but for what was measured then."""
        if not self.active:
            return
        like = self._known[self._fitting[0]] if self._calls else ()
        self._resume()
        for after, record, facts in like:
            # No backward that is recorded now comes through a forward that passed.
            if after <= len(self._calls) and record["kind"] != "forward":
                kept = {name: fact for name, fact in facts.items() if name not in _MEASURED}
                self._tape.emit(record["kind"], record["object"], {**kept, "like": record["n"]}, at=record["at"])

    def forbid(self) -> None:
        """Records every iteration from here on."""
        self.end()
        self.allowed = False

    def _resume(self) -> None:
        self.active, self._regular, self._needed = False, 0, AGAIN
        self._note_reached()
        if self._passed:
            backwards = [facts for calls in self._passed for _, record, facts in self._known[calls] if record["kind"] == "backward"]
            filled = Counter(str(number) for facts in backwards for number in facts.get("filled", ()))
            self._tape.write({"record": "pause", "iterations": len(self._passed), "backwards": len(backwards), "filled": dict(filled)})
            self._passed = []

    def _note_reached(self) -> None:
        """Writes the recorded forwards that a backward which passed came through."""
        if reached := self._tape.take_reached():
            self._tape.write({"record": "grad", "at": 0, "forwards": reached})
