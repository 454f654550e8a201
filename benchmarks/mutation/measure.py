"""Recall: every mutant is written beside its siblings and linted; a finding of its rule that the base did not have is a detection."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutation.bases import Base
from benchmarks.mutation.mutant import Mutant
from benchmarks.mutation.mutators import mutants
from looplint.finding import Finding
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection

# Two rules can name one fact. Each pair is accepted for the reason beside it, and for no other.
EQUIVALENTS: Mapping[str, Mapping[str, str]] = {
    "LL102": {"LL109": "one optimizer among several is never cleared: LL109 adds which one is cleared in its place"},
    "LL109": {"LL102": "the same optimizer is never cleared; that another one is cleared in its place is the explanation"},
    "LL107": {
        "LL101": "one among several: another loss's backward has filled the gradients that are cleared here, and the step uses nothing",
        "LL105": "one among several: the step meets empty gradients, and another loss's backward follows in the iteration",
    },
    "LL401": {"LL402": "`kept += [loss]` and a returned loss are sums or stores, by what the caller does"},
    "LL402": {"LL401": "a loss that leaves the function is kept by its caller's sum"},
}

# Rules that are asked only where they are selected: here always, so that they are measured like the others.
OPT_IN = ("LL111", "LL306", "LL403", "LL804", "LP001", "LP002", "LP003", "LP004", "LP005", "LP006", "LP007", "LP008", "LP009")

Linter = Callable[[Path], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Outcome:
    base: str
    kind: str
    mutant: Mutant
    detected: bool
    # Rules of the default selection, other than the planted one, that report on the mutant and not on the base.
    others: tuple[str, ...]


def lint_file(path: Path) -> Iterable[Finding]:
    """The only place where the linter is called. Whatever it could not do is said, and counts as a miss."""
    result = lint_paths([str(path)], Selection(extend_select=OPT_IN), jobs=1)
    for problem in result.problems:
        print(f"\n{problem}", file=sys.stderr)
    return result.findings


def sample(bases: Sequence[Base], codes: Sequence[str], most: int | None = None) -> dict[Base, list[Mutant]]:
    """The mutants of each base; of each rule at most so many, spread evenly over all that there are."""
    found: dict[str, list[tuple[Base, Mutant]]] = {}
    for base in bases:
        for mutant in mutants(base.source, base.siblings(), tuple(codes)):
            found.setdefault(mutant.code, []).append((base, mutant))
    chosen: dict[Base, list[Mutant]] = {}
    for pairs in found.values():
        number = len(pairs) if most is None else min(most, len(pairs))
        for base, mutant in (pairs[n * len(pairs) // number] for n in range(number)):
            chosen.setdefault(base, []).append(mutant)
    return chosen


def outcomes(base: Base, planted: Iterable[Mutant], lint: Linter = lint_file) -> Iterable[Outcome]:
    """Mutants of one base with what the linter made of them."""
    before = _codes(base, None, lint)
    for mutant in planted:
        after = _codes(base, mutant.text, lint)
        risen = {code for code, count in after.items() if count > before[code]}
        accepted = {mutant.code, *EQUIVALENTS.get(mutant.code, ())}
        yield Outcome(base.label, base.kind, mutant, bool(risen & accepted), tuple(sorted(risen - accepted - set(OPT_IN))))


def _codes(base: Base, text: str | None, lint: Linter) -> Counter[str]:
    """The linter's codes on a fresh copy of the program: no two mutants share a path, so nothing remembered of one can serve another."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        folder = Path(name)
        copy_program(base, folder)
        if text is not None:
            (folder / base.file).write_text(text, encoding="utf-8")
        return Counter(finding.code for finding in lint(folder / base.main))


def copy_program(base: Base, folder: Path) -> None:
    """The program's files: a single fixture alone, a fixture's folder, a real script with its neighbours (packages beside it are
    linked).
    """
    if base.kind == "fixture" and not base.folder_is_case:
        shutil.copyfile(base.folder / base.file, folder / base.file)
        return
    for entry in base.folder.iterdir():
        if entry.is_dir() and (entry / "__init__.py").exists():
            (folder / entry.name).symlink_to(entry.resolve(), target_is_directory=True)
        elif entry.suffix == ".py" and entry.is_file():
            shutil.copyfile(entry, folder / entry.name)


@dataclass(frozen=True, slots=True)
class Recall:
    planted: int
    detected: int

    @property
    def share(self) -> float:
        return self.detected / self.planted if self.planted else 1.0


def recall(found: Iterable[Outcome]) -> Recall:
    rows = list(found)
    return Recall(len(rows), sum(o.detected for o in rows))
