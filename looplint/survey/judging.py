"""One repository judged: as a whole, or program by program in several tasks whose results are put together.

The functions here are the tasks of a survey. They know nothing of what runs them, and give plain values that cross processes.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from looplint.dataclass import dataclass, field, replace
from looplint.errors import UserError
from looplint.finding import Finding, Problem
from looplint.linting.coverage import FoundLoop
from looplint.linting.files import Gathered, concluded, gather, judge
from looplint.linting.fixing import withhold
from looplint.linting.results import FileResult
from looplint.linting.selection import Selections
from looplint.sources import import_roots
from looplint.sources.reading import Source
from looplint.survey import trees
from looplint.survey.limits import Limits, give_back, limited, peak, resident
from looplint.survey.linter_options import LinterOptions, version
from looplint.survey.repositories import Repository

# From so many bytes on, what is free is given back to the system after each program.
_SOME = 192 << 20
# From so many bytes on, what is not used any more is looked for after each program: Python does that the more rarely the more a process holds.
_MUCH = 320 << 20


class Refused(Exception):
    """A repository that cannot be judged here, and why; trying again does not help."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a task is given: the repository, what it held when the survey began, and how it is judged."""

    repository: Repository
    content: str
    linter: LinterOptions
    limits: Limits
    version: str
    # Bytes of programs that one task judges; a repository that has more is cut.
    cut: int


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was analysed: a script, a notebook, or a file that could not be read."""

    file: str
    language: str
    lines: int = 0
    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What some programs of a repository gave, with what each took and the most memory that the task had."""

    results: tuple[FileResult, ...]
    seconds: tuple[float, ...]
    peak: int


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What the linter says of a repository."""

    kind: str
    year: int
    files: int
    programs: tuple[Program, ...]
    loops: tuple[FoundLoop, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    seconds: float
    peak: int
    tasks: int = 1


@dataclass(frozen=True, slots=True)
class Parts:
    """A repository that is too large for one task: the numbers of the programs that each part judges."""

    numbers: tuple[tuple[int, ...], ...] = field(default=())


def identify(repository: Repository, linter: LinterOptions) -> str:
    """What a repository holds.

    Raises:
        Refused: it cannot be read.
    """
    endings = tuple(f".{ending}" for ending, _ in linter.overrides.get("extension", ()))
    try:
        return trees.identity(Path(repository.place), repository.commit, endings)
    except UserError as error:
        raise Refused(str(error)) from None


def look(job: Job) -> Surveyed | Parts:
    """Judge a repository, or say how it is to be cut.

    Raises:
        Refused: its configuration is wrong, or it has changed.
        Exceeded: it took more time or memory than a task may.
    """
    with limited(job.limits), _gathered(job) as (gathered, selections):
        if sum(len(source.code) for source in gathered.sources) > job.cut and len(gathered.sources) > 1:
            return Parts(_dealt(gathered.sources, job.cut))
        return _conclude(job, gathered, selections, [(range(len(gathered.sources)), _judge(gathered.sources, selections))])


def look_at_part(job: Job, numbers: Sequence[int]) -> tuple[tuple[int, ...], Judged]:
    """Judge some programs of a repository.

    Raises:
        Refused, Exceeded: as `look`.
    """
    with limited(job.limits), _gathered(job) as (gathered, selections):
        return tuple(numbers), _judge([gathered.sources[number] for number in numbers], selections)


def conclude(job: Job, *parts: tuple[Sequence[int], Judged]) -> Surveyed:
    """Put the parts of a repository together.

    Its repairs reach from one program into another, and are proved here for all parts: that may take as long as they all may.

    Raises:
        Refused, Exceeded: as `look`.
    """
    with limited(replace(job.limits, seconds=job.limits.seconds * len(parts))), _gathered(job) as (gathered, selections):
        return _conclude(job, gathered, selections, parts)


@contextmanager
def _gathered(job: Job) -> Iterator[tuple[Gathered, Selections]]:
    """The programs of a repository, read in its own folder, as `looplint check` reads them there."""
    if version() != job.version:
        raise Refused(f"a worker has looplint {version()} where the survey has {job.version}; install the same everywhere")
    gc.set_threshold(200_000)
    repository, before = job.repository, os.getcwd()
    import_roots.forget()
    try:
        with trees.opened(Path(repository.place), job.content.partition("commit:")[2]) as folder:
            if not repository.commit and identify(repository, job.linter) != job.content:
                raise Refused("changed while it was surveyed")
            os.chdir(folder)
            try:
                selections = Selections(["."], configurations=job.linter.configurations())
                yield gather(["."], selections), selections
            finally:
                os.chdir(before)
    except (UserError, OSError) as error:
        raise Refused(str(error)) from None


def _dealt(sources: Sequence[Source], cut: int) -> tuple[tuple[int, ...], ...]:
    """The numbers of all sources in parts of about equal size: the largest first, each to the part that has least."""
    sizes = {number: len(source.code) for number, source in enumerate(sources)}
    count = min(len(sources), -(-sum(sizes.values()) // cut))
    parts: list[list[int]] = [[] for _ in range(count)]
    filled = [0] * count
    for number in sorted(sizes, key=lambda number: (-sizes[number], number)):
        least = filled.index(min(filled))
        parts[least].append(number)
        filled[least] += max(sizes[number], 1)
    return tuple(tuple(sorted(part)) for part in parts)


def _judge(sources: Sequence[Source], selections: Selections) -> Judged:
    results, seconds = [], []
    for source in sources:
        began = time.process_time()
        results.append(judge(source, selections.of_source(source)))
        if resident() > _SOME:
            give_back()
        if resident() > _MUCH:
            gc.collect()
        seconds.append(time.process_time() - began)
    return Judged(tuple(results), tuple(seconds), peak())


def _conclude(job: Job, gathered: Gathered, selections: Selections, parts: Sequence[tuple[Sequence[int], Judged]]) -> Surveyed:
    by_number = {number: each for numbers, part in parts for number, each in zip(numbers, zip(part.results, part.seconds))}
    results = [by_number[number][0] for number in range(len(gathered.sources))]
    seconds = [by_number[number][1] for number in range(len(gathered.sources))]
    began = time.process_time()
    proved = withhold(selections, gathered.files, gathered.sources, results, 1)
    proving = time.process_time() - began
    linted = concluded(proved, gathered, selections)
    problems: dict[str, list[str]] = {}
    for problem in linted.problems:
        problems.setdefault(problem.filename, []).append(str(problem))
    programs = [
        Program(source.display, source.language, source.text.count("\n"), taken, "\n".join(problems.pop(source.display, ())))
        for source, taken in zip(gathered.sources, seconds)
    ]
    programs += [Program(name, "", problem="\n".join(problem_lines)) for name, problem_lines in problems.items()]
    repository = job.repository
    return Surveyed(
        kind=repository.kind or _kind(programs, linted.coverage.loops),
        year=repository.year or trees.year(Path(repository.place), job.content.partition("commit:")[2]),
        files=linted.checked,
        programs=tuple(programs),
        loops=linted.coverage.loops,
        findings=tuple(selections.reported(linted.findings)),
        problems=linted.problems,
        seconds=sum(seconds) + proving,
        peak=max([peak(), *(part.peak for _, part in parts)]),
        tasks=len(parts),
    )


def _kind(programs: Sequence[Program], loops: Sequence[FoundLoop]) -> str:
    """What a repository is by what lies in it, where nobody says: an installable package, a set of notebooks, or scripts."""
    if any(os.path.exists(name) for name in ("pyproject.toml", "setup.py", "setup.cfg")):
        return "package"
    notebooks = {program.file for program in programs if program.language == "ipynb"}
    return "notebooks" if 2 * sum(loop.filename in notebooks for loop in loops) > len(loops) else "scripts"
