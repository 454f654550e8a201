"""A planted bug, repaired and run: does the repaired script end bitwise where the correct one ended?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutation.bases import Base
from benchmarks.mutation.measure import EQUIVALENTS, copy_program
from benchmarks.mutation.mutant import Mutant
from benchmarks.mutation.mutators import mutants
from looplint.fixing import FixResult, fix_paths
from looplint.runtime import signals
from looplint.runtime.record import Options, Recording
from looplint.runtime.warm import Warm

OPTIONS = Options(steps=400, seconds=60)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mutant.

    `repair` is the applicability that was needed ("safe", "unsafe"), "none" where nothing was repaired, or "unseen" where the rule did not speak.
    `same` tells whether the repaired run ends bitwise where the correct one does; None where it was not run or holds nothing to compare.
    """

    code: str
    base: str
    form: str
    line: int
    repair: str
    reason: str = ""
    same: bool | None = None
    text_restored: bool = False
    parses: bool = True
    idempotent: bool = True
    new_findings: tuple[str, ...] = ()
    outcome: str = ""


def sample(bases: Sequence[Base], codes: Sequence[str], most: int) -> dict[Base, list[Mutant]]:
    """At most so many mutants of each rule, spread evenly over all that there are."""
    found: dict[str, list[tuple[Base, Mutant]]] = {}
    for base in bases:
        for mutant in mutants(base.source, base.siblings(), tuple(codes)):
            found.setdefault(mutant.code, []).append((base, mutant))
    chosen: dict[Base, list[Mutant]] = {}
    for pairs in found.values():
        step = max(1.0, len(pairs) / most)
        for base, mutant in (pairs[int(n * step)] for n in range(min(most, len(pairs)))):
            chosen.setdefault(base, []).append(mutant)
    return chosen


def outcomes(base: Base, planted: Sequence[Mutant], warm: Warm | None) -> Iterator[Outcome]:
    """Repair each mutant of a base; run it, too, where there is a process to run it in."""
    right: Recording | None = None
    for mutant in planted:
        with tempfile.TemporaryDirectory(prefix="repair-") as name:
            folder = Path(name)
            copy_program(base, folder)
            before = {f.code for f in fix_paths([name], jobs=1).linted.findings}
            (folder / base.file).write_text(mutant.text, encoding="utf-8")
            if warm is not None and right is None:
                right = warm.record(base.folder / base.main, OPTIONS)
            yield _outcome(base, mutant, folder, before, warm, right)


def _outcome(base: Base, mutant: Mutant, folder: Path, before: set[str], warm: Warm | None, right: Recording | None) -> Outcome:
    accepted = {mutant.code, *EQUIVALENTS.get(mutant.code, ())}
    result, kind = fix_paths([str(folder)], jobs=1), "safe"
    if not any(a.code in accepted for a in result.applied):
        result, kind = fix_paths([str(folder)], unsafe=True, jobs=1), "unsafe"
    facts = {"code": mutant.code, "base": base.label, "form": mutant.description, "line": mutant.line}
    if not any(a.code in accepted for a in result.applied):
        left = next((f for f in result.linted.findings if f.code in accepted), None)
        return Outcome(**facts, repair="none" if left else "unseen", reason=left.unrepaired or "the rule has no repair" if left else "")  # type: ignore[arg-type]
    for _, new in result.changed:
        assert new.path is not None
        new.path.write_bytes(new.raw)
    again = fix_paths([str(folder)], unsafe=kind == "unsafe", jobs=1)
    new_findings = tuple(sorted({f.code for f in again.linted.findings} - before - accepted))
    checks = {
        "parses": not again.linted.problems,
        "idempotent": not again.changed,
        "new_findings": new_findings,
        "text_restored": (folder / base.file).read_text(encoding="utf-8") == base.source,
    }
    if warm is None or right is None or not right.ok:
        return Outcome(**facts, repair=kind, reason=_said(result), outcome="not run", **checks)  # type: ignore[arg-type]
    run = warm.record(folder / base.main, OPTIONS)
    return Outcome(**facts, repair=kind, reason=_said(result), same=signals.same_end(run.stream, right.stream), outcome=run.outcome, **checks)  # type: ignore[arg-type]


def _said(result: FixResult) -> str:
    return "; ".join(dict.fromkeys(a.message for a in result.applied))
