"""`python -m benchmarks.repairs`: repair planted bugs and all fixtures, run what comes out, and print how often it ends where the correct
script does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.figures import add_option, store
from benchmarks.mutation.bases import Base, fixture_bases, real_bases
from benchmarks.mutation.measure import sample
from benchmarks.mutation.mutant import Mutant
from benchmarks.mutation.mutators import MUTATORS
from benchmarks.repairs.execute import outcomes
from benchmarks.repairs.fixtures import FORM as FIXTURE
from benchmarks.repairs.fixtures import fixture_cases, fixture_outcome
from benchmarks.repairs.journal import Journal, key
from benchmarks.repairs.outcome import Outcome
from benchmarks.repairs.table import rows, table
from looplint.runtime.harness.verify import Case
from looplint.runtime.streams.warm import Warm


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.repairs", description=__doc__)
    parser.add_argument("--checkouts", type=Path, help="checkouts of the listed repositories: their mutants are repaired too, but not run")
    parser.add_argument("--rule", action="append", default=[], metavar="CODE", help="only this rule (repeatable)")
    parser.add_argument("--base", default="", help="only bases whose label contains this text")
    parser.add_argument(
        "--per-rule", type=int, default=25, metavar="N", help="at most so many mutants of a rule, spread over all (default 25; 0: all)"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, and count what the journal holds")
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="so many processes at a time, each with the runs of its own bases (default 1)"
    )
    parser.add_argument("--journal", type=Path, help="write every outcome here when it is known, and go on from what is there already")
    add_option(parser)
    options = parser.parse_args(arguments)

    bases = [b for b in fixture_bases() if options.base in b.label]
    if options.checkouts is not None:
        bases = [b for b in real_bases(options.checkouts) if options.base in b.label]
    started = time.perf_counter()
    chosen = sample(bases, options.rule or list(MUTATORS), options.per_rule or None)
    fixtures = [c for c in fixture_cases() if options.base in f"{c.rule}/{c.name}" and (not options.rule or c.code in options.rule)]
    run = options.checkouts is None
    works = [*(_of_fixtures(fixtures) if run else ()), *_of_bases(chosen, run=run)]
    journal = Journal(options.journal)
    if options.report:
        works = [work for work in works if journal.get(work.name) is not None]
    found = _all_outcomes(works, journal, options.jobs)
    print(f"\r{len(found)} programs in {time.perf_counter() - started:.0f} s{'':<80}", file=sys.stderr)
    counted = rows(found)
    print(table(counted))
    for outcome in found:
        if odd := _odd(outcome):
            print(f"{outcome.code} {outcome.base}:{outcome.line} {outcome.form}: {odd}")
    if options.store:
        bases = {"bases": len({o.base for o in found if o.form != FIXTURE}), "of": len(chosen)}
        store("repairs", {"per_rule": options.per_rule, **bases, "rows": {code: asdict(row) for code, row in counted.items()}})
    return 0


@dataclass(frozen=True, slots=True)
class Work:
    """What one process does in one go: a fixture, or all that is planted in a base."""

    name: str
    size: int
    function: Callable[..., list[Outcome]]
    arguments: tuple[object, ...]


def _of_fixtures(found: Sequence[Case]) -> list[Work]:
    return [Work(key(f"{c.rule}/{c.name}", _texts(c)), 1, _of_fixture, (c,)) for c in found]


def _of_bases(chosen: Mapping[Base, list[Mutant]], *, run: bool) -> list[Work]:
    """In an order that mixes the rules (by the digests in which the names end): what is done after some time is like what is to come."""
    works = [Work(key(b.label, (m.text for m in planted)), len(planted), _of_base, (b, planted, run)) for b, planted in chosen.items()]
    return sorted(works, key=lambda w: w.name[::-1])


def _all_outcomes(works: Sequence[Work], journal: Journal, jobs: int) -> list[Outcome]:
    """What became of all, in the order of the works, whichever process was done first."""
    total, done = sum(w.size for w in works), sum(len(journal.get(w.name) or ()) for w in works)
    with ProcessPoolExecutor(jobs, initializer=_start) as pool:
        running = {pool.submit(w.function, *w.arguments): w.name for w in works if journal.get(w.name) is None}
        for future in as_completed(running):
            journal.add(running[future], future.result())
            done += len(future.result())
            print(f"\r{done}/{total} {running[future][:80]:<80}", end="", file=sys.stderr)
    return [outcome for w in works for outcome in journal.get(w.name) or ()]


# In each process of the pool: the one that its scripts are run in. It ends with the pool's, when its input does. (A pool's initializer
# has nowhere else to leave what it starts.)
_warm: Warm | None = None


def _start() -> None:
    global _warm
    _warm = Warm({"OMP_NUM_THREADS": "1"})


def _of_base(base: Base, planted: list[Mutant], run: bool) -> list[Outcome]:
    return list(outcomes(base, planted, _warm if run else None))


def _texts(case: Case) -> Iterator[str]:
    for path in (case.broken, case.expert):
        files = sorted(path.rglob("*.py")) if path and path.is_dir() else [path] if path else []
        yield from (f.read_text(encoding="utf-8") for f in files)


def _of_fixture(case: Case) -> list[Outcome]:
    assert _warm is not None
    return [fixture_outcome(case, _warm)]


def _odd(outcome: Outcome) -> str:
    """What is to be looked at in an outcome."""
    if outcome.repair == "none":
        return f"not repaired: {outcome.reason}" if outcome.reason else ""
    if outcome.repair == "unseen":
        return ""
    wrong = [
        "ends elsewhere" if outcome.same is False else "",
        f"run {outcome.outcome}" if outcome.outcome not in ("finished", "step-limit", "exit", "not run", "") else "",
        "" if outcome.parses else "does not parse",
        "" if outcome.idempotent else "a second run changes more",
        f"brings {', '.join(outcome.new_findings)}" if outcome.new_findings else "",
    ]
    reasons = "; ".join(w for w in wrong if w)
    return f"{outcome.repair}: {outcome.reason}: {reasons}" if reasons else ""


if __name__ == "__main__":
    raise SystemExit(main())
