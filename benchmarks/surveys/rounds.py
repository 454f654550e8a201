"""`python -m benchmarks.surveys.rounds SOURCES -o OUT`: a whole round of measurements on repositories, as one survey.

The repositories are surveyed with the default rules. From what is stored come the table of `benchmarks.understanding` and that of `benchmarks.ecosystem`;
`benchmarks.planted` is a task for each repository on the same Ray, and so is `benchmarks.realbugs` where the repositories of the bugs are at hand
(`--mirrors`). A repository with which something fails is named with the reason, and the others go on. A round that was stopped goes on: what was surveyed,
and what was found of the planted bugs, is kept in OUT.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from benchmarks.surveys.kept import Kept
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
    failed: list[Failure] = []
    with session(None, options.cpus, False):
        plan = Plan(Limits(options.time_limit, 2 << 30))
        store = Store(options.output)
        standing = survey(repositories, LinterOptions(isolated=True), plan, store, _say)
        print(f"\nsurveyed: {standing.done + standing.before} of {standing.total}, {standing.failed} failed", file=sys.stderr)
        rows = {kind: _by_repository(store.rows(kind)) for kind in ("repositories", "loops", "findings")}
        own = {r.name: rows["repositories"][r.name] for r in repositories}
        failed += [Failure(r.name, "survey", row["reason"]) for r in repositories for row in own[r.name] if row["reason"]]
        # What could not even be identified has no key, and cannot be read by what follows either.
        keys = {name: row["key"] for name, (row,) in own.items() if row["key"]}
        readable = [r for r in repositories if r.name in keys]
        linted = [r for r in readable if not own[r.name][0]["reason"]]
        understood = _each(understanding, [(r, own[r.name], rows["loops"].get(r.name, [])) for r in readable], failed)
        found = [f for each in _each(lines, [(r, rows["findings"].get(r.name, [])) for r in linted], failed) for f in each or ()]
        kept = Kept(options.output / "planted", options.per_repository, options.plant_timeout)
        outcomes = planted(readable, keys, kept, options.per_repository, options.plant_timeout, failed)
        bugs = real_bugs(options.mirrors.resolve(), options.bug_timeout, failed) if options.mirrors else []
    judged = {**judgements(), **judgements(FRESH_JUDGEMENTS)}
    reasons = {each.repository: each.reason.splitlines()[0] for each in failed}
    states = {each.name: each for each in understood if each is not None}
    print(understood_table([states.get(r.name) or Understood(r.name, failed=reasons[r.name]) for r in repositories]))
    print()
    print(report(found, judged, {r.name for r in linted}, len({(f.repo, f.path) for f in found})))
    print()
    print(planted_table(outcomes))
    print()
    print(bugs_table(bugs) if options.mirrors else "benchmarks.realbugs was left out: --mirrors DIR names the repositories of its bugs.")
    if failed:
        print()
        print("\n".join(failures(failed)))
    return 0


def _say(standing: Standing) -> None:
    print(f"\r{standing.done + standing.before + standing.failed}/{standing.total} repositories", end="", file=sys.stderr)


def _by_repository(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["repository"], []).append(row)
    return found


@dataclass(frozen=True)
class Failure:
    """What could not be done with a repository, and why."""

    repository: str
    what: str
    reason: str


def failures(failed: Sequence[Failure]) -> list[str]:
    """A line for each repository and reason."""
    what: dict[tuple[str, str], list[str]] = {}
    for each in failed:
        what.setdefault((each.repository, each.reason.splitlines()[0]), []).append(each.what)
    return [f"failed: {repository} ({', '.join(parts)}): {reason}" for (repository, reason), parts in what.items()]


def _each(function: Callable[..., T], calls: Sequence[tuple[Any, ...]], failed: list[Failure]) -> list[T | None]:
    """What a function gives for each call; None where it fails."""
    answers = dict(_landing(function, calls, failed))
    return [answers.get(number) for number in range(len(calls))]


def _landing(function: Callable[..., T], calls: Sequence[tuple[Any, ...]], failed: list[Failure]) -> Iterator[tuple[int, T]]:
    """The number of each call with what it gave, as soon as it is there, on Ray; a task that dies is tried again.

    The first argument of a call is a repository, or the bugs of one.
    """
    import ray
    from ray.exceptions import RayError

    from looplint.survey.engine import reason_of

    task = ray.remote(num_cpus=1, max_calls=1, max_retries=2)(function)
    flying = {task.remote(*arguments): number for number, arguments in enumerate(calls)}
    while flying:
        for landed in ray.wait(list(flying), num_returns=1)[0]:
            number = flying.pop(landed)
            try:
                answer = ray.get(landed)
            except RayError as error:
                failed.append(Failure(_name(calls[number][0]), function.__name__, reason_of(error)))
            else:
                yield number, answer


def _name(asked: Repository | Sequence[Bug]) -> str:
    return asked.name if isinstance(asked, Repository) else asked[0].repository


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


def planted(
    repositories: Sequence[Repository], keys: Mapping[str, str], kept: Kept, most: int, timeout: float, failed: list[Failure]
) -> list[Outcome]:
    """What is found of the bugs planted in each repository; what is kept of one is not asked again."""
    known = {r.name: kept.of(keys[r.name]) for r in repositories}
    new = [r for r in repositories if known[r.name] is None]
    print(f"planted before: {len(repositories) - len(new)} of {len(repositories)}", file=sys.stderr)
    for number, outcomes in _landing(plant_in, [(r, most, timeout) for r in new], failed):
        known[new[number].name] = outcomes
        kept.put(keys[new[number].name], outcomes)
    return [outcome for r in repositories for outcome in known[r.name] or ()]


def plant_in(repository: Repository, most: int, timeout: float) -> list[Outcome]:
    """Plant bugs in a repository, and count which are found. They are drawn by its name, which its folder therefore has."""
    with opened(Path(repository.place), repository.commit) as folder, tempfile.TemporaryDirectory() as place:
        named = Path(place) / repository.name.replace("/", "__")
        named.symlink_to(folder)
        return plant(named, most, timeout)


def real_bugs(mirrors: Path, timeout: float, failed: list[Failure]) -> list[AskedBug]:
    """What is said of each real bug; those of one repository are one task, and cannot be read where it fails."""
    by_repository: dict[str, list[Bug]] = {}
    for bug in read_bugs():
        by_repository.setdefault(bug.repository, []).append(bug)
    groups = list(by_repository.values())
    answers = _each(ask_of_bugs, [(bugs, mirrors, timeout) for bugs in groups], failed)
    return [each for bugs, answer in zip(groups, answers) for each in answer or [AskedBug(bug, unread="the task failed") for bug in bugs]]


def ask_of_bugs(bugs: Sequence[Bug], mirrors: Path, timeout: float) -> list[AskedBug]:
    """What is said of the bugs of one repository."""
    return [ask(bug, mirrors, timeout) for bug in bugs]


if __name__ == "__main__":
    sys.exit(main())
