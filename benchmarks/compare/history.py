"""Which commits brought the differences between two versions: bisection over the commits between them."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compare.answers import Answer
from benchmarks.compare.differences import Difference
from benchmarks.compare.programs import Program

# What looplint's answers depend on.
CODE = ("looplint", "rules")


@dataclass(frozen=True, slots=True)
class Commit:
    """A revision, and the first line of its message."""

    revision: str
    subject: str


@dataclass(frozen=True, slots=True)
class Between:
    """A program, and what two versions say of it."""

    program: Program
    old: Answer
    new: Answer


@dataclass(frozen=True, slots=True)
class Change:
    """A commit, and what it changed in the answers: the differences of each program."""

    commit: Commit
    programs: Mapping[str, Sequence[Difference]]


def commits(old: Path, new: Path) -> list[Commit]:
    """The first-parent commits from one checkout's to the other's that change code, the oldest first; OLD's own stands before them.

    Raises:
        ValueError: a checkout has uncommitted code, or OLD is no ancestor of NEW.
    """
    ends = [_committed(old), _committed(new)]
    if subprocess.run(["git", "merge-base", "--is-ancestor", *ends], cwd=new, stderr=subprocess.DEVNULL).returncode:
        raise ValueError("--explain: OLD is no ancestor of NEW")
    log = _git(new, "log", "--first-parent", "--reverse", "--format=%H %s", "..".join(ends), "--", *CODE)
    return [Commit(ends[0], ""), *(Commit(*line.split(" ", 1)) for line in log.splitlines())]


def extract(commit: Commit, folder: Path, repository: Path) -> Path:
    """The code of a commit, written into a folder of its own."""
    root = folder / commit.revision[:12]
    paths = _git(repository, "ls-tree", "--name-only", commit.revision, "--", *CODE).splitlines()
    archive = subprocess.run(["git", "archive", commit.revision, *paths], cwd=repository, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(root, filter="data")
    return root


def followed(found: Mapping[str, Sequence[Difference]], number: int) -> list[str]:
    """Programs to follow through the commits: of each kind of difference of each rule so many, or all where there are fewer."""
    left = Counter(key for differences in found.values() for key in {d.key for d in differences})
    have: Counter[tuple[str, str]] = Counter()
    chosen = []
    # Those that show many kinds at once first: fewer programs are run.
    for name, differences in sorted(found.items(), key=lambda item: -len({d.key for d in item[1]})):
        keys = {d.key for d in differences}
        if any(have[key] < min(number, left[key]) for key in keys):
            chosen.append(name)
            have.update(keys)
    return chosen


def changes(
    pending: Sequence[Between],
    history: Sequence[Commit],
    ask: Callable[[Commit, Sequence[Program]], Sequence[Answer]],
    differ: Callable[[Between], Sequence[Difference]],
) -> Iterator[Change]:
    """The commits at which answers changed, the oldest first. Each commit is asked at most once; `history` begins with that of the old answers.

    What changed and changed back between two commits that are asked is not seen.
    """
    found = {between.program.name: differences for between in pending if (differences := differ(between))}
    pending = [between for between in pending if between.program.name in found]
    if not pending:
        return
    if len(history) == 2:
        yield Change(history[1], found)
        return
    middle = len(history) // 2
    answers = ask(history[middle], [between.program for between in pending])
    left = [Between(b.program, b.old, answer) for b, answer in zip(pending, answers, strict=True)]
    right = [Between(b.program, answer, b.new) for b, answer in zip(pending, answers, strict=True)]
    yield from changes(left, history[: middle + 1], ask, differ)
    yield from changes(right, history[middle:], ask, differ)


def table(found: Sequence[Change]) -> str:
    """Each commit with the number of programs whose answers it changed, the kinds of difference, and an example of each."""
    lines = []
    for change in found:
        lines.append(f"{change.commit.revision[:7]} {change.commit.subject}")
        lines.append(f"    {len(change.programs)} programs")
        kinds: dict[tuple[str, str], list[Difference]] = {}
        for differences in change.programs.values():
            for difference in differences:
                kinds.setdefault(difference.key, []).append(difference)
        for (kind, code), those in sorted(kinds.items()):
            first = those[0]
            lines.append(f"    {len(those)} {kind} {code}".rstrip() + f", as at {first.place}:")
            lines += [f"        {line[:200]}" for line in first.text.splitlines()[:6]]
    return "\n".join(lines)


def _committed(folder: Path) -> str:
    if _git(folder, "status", "--porcelain", "--", *CODE):
        raise ValueError(f"--explain: {folder} has code that is not committed")
    return _git(folder, "rev-parse", "HEAD")


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
