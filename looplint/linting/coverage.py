"""How much of the training loops of a run was understood: plain values that cross processes, and the sentence that tells them."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.dataclass import dataclass, replace
from looplint.escaping import visible
from looplint.finding import Location, written_place
from looplint.sources.reading import Source

_NAMED = 3


@dataclass(frozen=True)
class FoundLoop:
    """A training loop, the `number`-th of its file, and its function: judged where neither `reason` says why not nor `owner` names a library that runs it.

    `location` is the place of its `backward`, where there is something to report about it; `roots` are the functions ("file::function") from which it was
    followed; `certain` are those of its calls of `backward` of which it is certain that they reach what one optimizer certainly steps.
    """

    filename: str
    number: int
    function: str = ""
    location: Location | None = None
    reason: str = ""
    owner: str = ""
    cell: int | None = None
    roots: tuple[str, ...] = ()
    certain: tuple[int, ...] = ()

    @property
    def judged(self) -> bool:
        return not self.reason and not self.owner

    @property
    def place(self) -> str:
        """file:row, or file:cell 3:row."""
        return written_place(self.filename, self.location, self.cell).rpartition(":")[0] if self.location else self.filename


@dataclass(frozen=True)
class Coverage:
    """The training loops of a run, each once, in the order of files and rows."""

    loops: tuple[FoundLoop, ...] = ()

    @property
    def judged(self) -> tuple[FoundLoop, ...]:
        return tuple(loop for loop in self.loops if loop.judged)

    @property
    def lost(self) -> tuple[FoundLoop, ...]:
        """The loops that could not be followed."""
        return tuple(loop for loop in self.loops if loop.reason)

    @property
    def owned(self) -> tuple[FoundLoop, ...]:
        """The loops that a library runs."""
        return tuple(loop for loop in self.loops if loop.owner)

    @property
    def percent(self) -> float:
        """The share of judged loops among those that are the program's own; 100 where there are none."""
        own = len(self.judged) + len(self.lost)
        return 100 * len(self.judged) / own if own else 100.0

    def summary(self, most: int | None = _NAMED) -> str:
        """What was understood, as lines of text; nothing where there is no training loop.

        Args:
            most: how many of the loops that could not be followed are named; all where it is None.
        """
        lines = []
        if self.judged or self.lost:
            judged = f"{_count(len(self.judged), 'training loop')} in {_count(len({loop.filename for loop in self.judged}), 'file')}"
            lost = f"; {len(self.lost)} could not be followed:" if self.lost else "."
            lines.append(f"Judged {judged if self.judged else 'no training loop'}{lost}\n")
        lines += [f"  {visible(loop.place)}: {visible(loop.reason)}\n" for loop in self.lost[:most]]
        if most is not None and len(self.lost) > most:
            lines.append(f"  and {len(self.lost) - most} more, which --statistics lists\n")
        if self.owned:
            owners = ", ".join(sorted({loop.owner for loop in self.owned}))
            lines.append(f"Not judged: {_count(len(self.owned), 'loop')} that {owners} run{'s' if len(self.owned) == 1 else ''}.\n")
        return "".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def merged(loops: Iterable[FoundLoop], sources: Iterable[Source]) -> Coverage:
    """The loops of all files of a run, each once: one that some caller lets be judged is judged. Places are those of people, in cells.

    Args:
        loops: what was found from each linted file, also in files that it imports.
        sources: the linted files; loops of other files are not counted.
    """
    by_name = {source.display: source for source in sources}
    best: dict[tuple[str, int], FoundLoop] = {}
    for loop in loops:
        key = (loop.filename, loop.number)
        if loop.filename in by_name and (key not in best or (loop.judged and not best[key].judged)):
            best[key] = loop
    found = (_in_cell(loop, by_name[loop.filename]) for loop in best.values())
    return Coverage(tuple(sorted(found, key=lambda loop: (loop.filename, loop.number))))


def _in_cell(loop: FoundLoop, source: Source) -> FoundLoop:
    if loop.location is None:
        return loop
    cell, location = source.place(loop.location)
    return replace(loop, location=location, cell=cell)
