"""One part of a very large tree: every file belongs to one part, whatever else there is, and all parts together say what a whole run does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.finding import Finding
from looplint.linting.launchers import imported_as
from looplint.regex import regex
from looplint.sources.reading import Source, shown_as
from looplint.sources.reads import digest
from looplint.sources.regular import MOST_OF_NOTEBOOK, read_regular

_WORD = regex(rb"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` (from 1) of `count`."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read "2/8".

        Raises:
            UserError: it says no such thing.
        """
        match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
        if match is None or int(match[1]) > int(match[2]):
            raise UserError(f"--shard takes I/N, such as 1/4, not {text}")
        return cls(int(match[1]), int(match[2]))

    def holds(self, filename: str) -> bool:
        """Whether a file belongs to this part: by its name, so that a file stays where it is when others come and go."""
        name = Path(filename).as_posix()
        return int(digest(name.encode("utf-8", "surrogateescape"))[:12], 16) % self.count == self.number - 1


def callers(findings: Iterable[Finding], sources: Sequence[Source], files: Sequence[Path]) -> list[Source]:
    """The sources that may follow into a function which a finding judged by itself, directly or through others.

    A function that one file only defines is judged with its real objects where another file calls it; that file may be of another part. What may import
    a module is what holds its name as a word, which is more than what does.

    Args:
        findings: those of one part.
        sources: what may be followed from, of the other parts.
        files: all files of the run; one imports another also through those that are about something else.
    """
    suspects = {imported_as(Path(root.partition("::")[0])) for f in findings for root in f.roots if root}
    if not suspects or not sources:
        return []
    words = {shown_as(str(file)): _words(file) for file in files}
    reached: set[str] = set()
    while suspects:
        new = {name for name, held in words.items() if name not in reached and not suspects.isdisjoint(held)}
        reached |= new
        suspects = {imported_as(Path(name)) for name in new}
    return [source for source in sources if source.display in reached]


def _words(file: Path) -> frozenset[bytes]:
    try:
        return frozenset(_WORD.findall(read_regular(file, MOST_OF_NOTEBOOK))) if str(file) != "-" else frozenset()
    except OSError:
        return frozenset()
