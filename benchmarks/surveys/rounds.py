"""`python -m benchmarks.surveys.rounds SOURCES -o OUT`: a whole round of measurements on repositories, as one survey.

The repositories are surveyed with the default rules. From what is stored come the table of `benchmarks.understanding` and that of `benchmarks.ecosystem`;
`benchmarks.planted` is a task for each repository on the same Ray, and so is `benchmarks.realbugs` where the repositories of the bugs are at hand
(`--mirrors`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks.ecosystem.__main__ import FRESH_JUDGEMENTS, Found, judgements, report
from benchmarks.planted.__main__ import Outcome
from benchmarks.planted.__main__ import look as plant
from benchmarks.planted.__main__ import table as planted_table
from benchmarks.realbugs.__main__ import Outcome as AskedBug
from benchmarks.realbugs.__main__ import ask
from benchmarks.realbugs.__main__ import table as bugs_table
from benchmarks.realbugs.bugs import Bug
from benchmarks.realbugs.bugs import read as read_bugs
from benchmarks.understanding.__main__ import Repository as Understood
from benchmarks.understanding.__main__ import table as understood_table
from benchmarks.understanding.__main__ import trains
from looplint.sources.notebooks import cell_texts
from looplint.survey import private
from looplint.survey.datasets import Row, Store
from looplint.survey.limits import Limits
from looplint.survey.linter_options import LinterOptions
from looplint.survey.repositories import Repository, read
from looplint.survey.trees import opened

if TYPE_CHECKING:
    from looplint.survey.engine import Standing

T = TypeVar("T")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.surveys.rounds", description=__doc__)
    parser.add_argument("sources", nargs="+", help="as `looplint survey` takes them")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the folder of the datasets")
    parser.add_argument("--cpus", type=int)
    parser.add_argument("--time-limit", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--per-repository", type=int, default=6, metavar="N", help="bugs planted in one repository, at the most")
    parser.add_argument("--plant-timeout", type=float, default=120, metavar="SECONDS", help="for one planted file")
    parser.add_argument("--mirrors", type=Path, help="a folder with the repositories of the real bugs, as `benchmarks.realbugs` takes it")
    parser.add_argument("--bug-timeout", type=float, default=120, metavar="SECONDS", help="for one commit of a real bug")
    options = parser.parse_args(arguments)
    private.keep()
    from looplint.survey.engine import Plan, session, survey

    repositories = read(options.sources)
    with session(None, options.cpus, False):
        plan = Plan(Limits(options.time_limit, 2 << 30))
        standing = survey(repositories, LinterOptions(isolated=True), plan, Store(options.output), _say)
        print(f"\nsurveyed: {standing.done + standing.before} of {standing.total}, {standing.failed} failed", file=sys.stderr)
        rows = {kind: _by_repository(Store(options.output).rows(kind)) for kind in ("repositories", "loops", "findings")}
        understood = list(
            _each(understanding, [(r, rows["repositories"].get(r.name, []), rows["loops"].get(r.name, [])) for r in repositories])
        )
        found = [f for each in _each(lines, [(r, rows["findings"].get(r.name, [])) for r in repositories]) for f in each]
        planting = [(r, options.per_repository, options.plant_timeout) for r in repositories]
        outcomes = [outcome for each in _each(plant_in, planting) for outcome in each]
        bugs = real_bugs(options.mirrors.resolve(), options.bug_timeout) if options.mirrors else []
    judged = {**judgements(), **judgements(FRESH_JUDGEMENTS)}
    print(understood_table(understood))
    print()
    print(report(found, judged, {r.name for r in repositories}, len({(f.repo, f.path) for f in found})))
    print()
    print(planted_table(outcomes))
    if bugs:
        print()
        print(bugs_table(bugs))
    return 0


def _say(standing: Standing) -> None:
    print(f"\r{standing.done + standing.before + standing.failed}/{standing.total} repositories", end="", file=sys.stderr)


def _by_repository(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["repository"], []).append(row)
    return found


def _each(function: Callable[..., T], calls: Sequence[tuple[Any, ...]]) -> Iterator[T]:
    """What a function gives for each repository, on Ray; a task that dies is tried again."""
    import ray

    task = ray.remote(num_cpus=1, max_calls=1, max_retries=2)(function)
    yield from ray.get([task.remote(*arguments) for arguments in calls])


def understanding(repository: Repository, own: Sequence[Row], loops: Sequence[Row]) -> Understood:
    """What became of the files of a repository that are expected to have a training loop."""
    found = Understood(repository.name)
    states: dict[str, set[str]] = {}
    for row in loops:
        states.setdefault(row["file"], set()).add(row["state"])
    found.reasons = [(row["file"], row["row"] or 0, row["reason"]) for row in loops if row["state"] == "lost"]
    for row in own:
        found.seconds, found.megabytes, found.failed = row["seconds"] or 0.0, float(row["megabytes"] or 0), row["reason"] or ""
    with opened(Path(repository.place), repository.commit) as folder:
        for path in sorted(folder.rglob("*.py")):
            if path.is_file() and not path.is_symlink():
                text = path.read_text(encoding="utf-8", errors="replace")
                found.lines += text.count("\n")
                if trains(text):
                    name = path.relative_to(folder).as_posix()
                    found.states[name] = _state(states.get(name, set()))
    return found


def _state(states: set[str]) -> str:
    if "judged" in states:
        return "partly" if "lost" in states else "recovered"
    return next((state for state in ("lost", "owned") if state in states), "silent")


def lines(repository: Repository, findings: Sequence[Row]) -> list[Found]:
    """The findings of a repository as judgements name them: by the text of their lines."""
    found = []
    with opened(Path(repository.place), repository.commit) as folder:
        for row in findings:
            path = folder / row["file"]
            cell = row["cell"]
            text = path.read_text(encoding="utf-8", errors="replace") if cell is None else cell_texts(path.read_bytes())[cell - 1]
            line = text.splitlines()[row["row"] - 1].strip()[:80]
            found.append(Found(repository.name, row["file"], row["code"], line, row["repair"] == "safe"))
    return found


def plant_in(repository: Repository, most: int, timeout: float) -> list[Outcome]:
    """Plant bugs in a repository, and count which are found. They are drawn by its name, which its folder therefore has."""
    with opened(Path(repository.place), repository.commit) as folder, tempfile.TemporaryDirectory() as place:
        named = Path(place) / repository.name.replace("/", "__")
        named.symlink_to(folder)
        return plant(named, most, timeout)


def real_bugs(mirrors: Path, timeout: float) -> list[AskedBug]:
    """What is said of each real bug; those of one repository are one task."""
    by_repository: dict[str, list[Bug]] = {}
    for bug in read_bugs():
        by_repository.setdefault(bug.repository, []).append(bug)
    return [outcome for each in _each(ask_of_bugs, [(bugs, mirrors, timeout) for bugs in by_repository.values()]) for outcome in each]


def ask_of_bugs(bugs: Sequence[Bug], mirrors: Path, timeout: float) -> list[AskedBug]:
    """What is said of the bugs of one repository."""
    return [ask(bug, mirrors, timeout) for bug in bugs]


if __name__ == "__main__":
    sys.exit(main())
