"""What linting one file gave, and what it rests on: plain values that cross processes and outlive them."""

from __future__ import annotations

from looplint.dataclass import dataclass
from looplint.finding import Call, Finding, Problem
from looplint.linting.coverage import FoundLoop
from looplint.sources.reads import Reads


@dataclass(frozen=True)
class FileResult:
    """What linting one file gave.

    `followed` names the functions of other files that were followed with a caller's objects ("file::function"). `reads` is None where the result
    is not to be used again: it came of an accident, or of something that cannot be checked. `loops` are the training loops of the file, and those of
    other files that its objects let be judged. `unanswered` are the codes of the rules that need a whole program, where this one was not followed to
    its end. `left` are the calls in those functions of other files that were too large to be followed: what they lead to is not judged here.
    """

    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    followed: frozenset[str]
    reads: Reads | None = None
    loops: tuple[FoundLoop, ...] = ()
    unanswered: frozenset[str] = frozenset()
    left: tuple[Call, ...] = ()
