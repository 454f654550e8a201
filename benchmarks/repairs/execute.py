"""A planted bug, repaired and run: does the repaired script end bitwise where the right one ends?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.mutation.bases import Base
from benchmarks.mutation.measure import EQUIVALENTS, copy_program
from benchmarks.mutation.mutant import Mutant
from looplint.fixing import FixResult, fix_paths
from looplint.runtime import signals
from looplint.runtime.record import Options, Recording
from looplint.runtime.warm import Warm

OPTIONS = Options(steps=400, seconds=60)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one mutant.

    `repair` is the applicability that was needed ("safe", "unsafe"), "none" where nothing was repaired, or "unseen" where the rule did not speak.
    `same` tells whether the repaired run does what the right one does (see `Runs.verdict`); None where a run cannot tell.
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


def outcomes(base: Base, planted: Sequence[Mutant], warm: Warm | None) -> Iterator[Outcome]:
    """Repair each mutant of a base; run it, too, where there is a process to run it in."""
    texts = Texts()
    runs = Runs(base, warm) if warm is not None else None
    before: frozenset[str] | None = None
    for mutant in planted:
        with tempfile.TemporaryDirectory(prefix="repair-") as name:
            folder = Path(name)
            copy_program(base, folder)
            before = texts.checked(folder, unsafe=False).codes if before is None else before
            (folder / base.file).write_text(mutant.text, encoding="utf-8")
            yield _outcome(base, mutant, folder, before, texts, runs)


def _outcome(base: Base, mutant: Mutant, folder: Path, before: frozenset[str], texts: Texts, runs: Runs | None) -> Outcome:
    accepted = {mutant.code, *EQUIVALENTS.get(mutant.code, ())}
    result, kind = fix_paths([str(folder)], jobs=1), "safe"
    if not any(a.code in accepted for a in result.applied) and any(f.code in accepted and f.fix for f in result.linted.findings):
        result, kind = fix_paths([str(folder)], unsafe=True, jobs=1), "unsafe"
    facts = {"code": mutant.code, "base": base.label, "form": mutant.description, "line": mutant.line}
    if not any(a.code in accepted for a in result.applied):
        left = next((f for f in result.linted.findings if f.code in accepted), None)
        return Outcome(**facts, repair="none" if left else "unseen", reason=left.unrepaired or "the rule has no repair" if left else "")  # type: ignore[arg-type]
    for _, new in result.changed:
        assert new.path is not None
        new.path.write_bytes(new.raw)
    again = texts.checked(folder, unsafe=kind == "unsafe")
    checks = {
        "parses": again.parses,
        "idempotent": again.stable,
        "new_findings": tuple(sorted(again.codes - before - accepted)),
        "text_restored": (folder / base.file).read_text(encoding="utf-8") == mutant.right,
    }
    same, ended = (None, "not run") if runs is None else runs.verdict(mutant, folder)
    return Outcome(**facts, repair=kind, reason=_said(result), same=same, outcome=ended, **checks)  # type: ignore[arg-type]


Program: TypeAlias = tuple[tuple[str, bytes], ...]


def _program(folder: Path) -> Program:
    """All that tells one program from another: many repairs of one base lead to the same text, which is checked and run once."""
    return tuple((p.name, p.read_bytes()) for p in sorted(folder.glob("*.py")))


@dataclass(frozen=True, slots=True)
class Checked:
    """What the linter makes of a program: whether it can read it, whether it would change it, and the codes that it reports."""

    parses: bool
    stable: bool
    codes: frozenset[str]


class Texts:
    """Programs as the linter sees them, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Program, bool], Checked] = {}

    def checked(self, folder: Path, *, unsafe: bool) -> Checked:
        key = _program(folder), unsafe
        if key not in self._known:
            found = fix_paths([str(folder)], unsafe=unsafe, jobs=1)
            self._known[key] = Checked(not found.linted.problems, not found.changed, frozenset(f.code for f in found.linted.findings))
        return self._known[key]


class Runs:
    """The runs of one base: of its right texts, of its mutants and of their repairs, of each text once."""

    def __init__(self, base: Base, warm: Warm) -> None:
        self.base = base
        self.warm = warm
        self._known: dict[Program, Recording] = {}

    def verdict(self, mutant: Mutant, repaired: Path) -> tuple[bool | None, str]:
        """Whether a repair does what the right text does, and how its run ended.

        It must end in bitwise the same parameters, and must not show the rule's damage, which is all there is to see where a rule is
        about memory. Where nothing right is known, the damage must be seen in the mutant and be gone. None: a run tells nothing.
        """
        reference = self._run(mutant.right or self.base.source)
        if not reference.ok:
            return None, "the right text does not run"
        run = self._recorded(repaired)
        if not run.ok and not self._run(mutant.text).ok:
            return None, "ends early before and after"
        if mutant.right is None:
            return self._cured(mutant, run, reference), run.outcome
        same = signals.same_end(run.stream, reference.stream)
        return same and not (_shown(mutant.code, run, reference) and not _shown(mutant.code, reference, reference)), run.outcome

    def _cured(self, mutant: Mutant, run: Recording, reference: Recording) -> bool | None:
        if not _shown(mutant.code, self._run(mutant.text), reference):
            return None
        return run.ok and not _shown(mutant.code, run, reference)

    def _run(self, text: str) -> Recording:
        with tempfile.TemporaryDirectory(prefix="repair-") as name:
            copy_program(self.base, Path(name))
            (Path(name) / self.base.file).write_text(text, encoding="utf-8")
            return self._recorded(Path(name))

    def _recorded(self, folder: Path) -> Recording:
        key = _program(folder)
        if key not in self._known:
            self._known[key] = self.warm.record(folder / self.base.main, OPTIONS)
        return self._known[key]


def _shown(code: str, run: Recording, reference: Recording) -> bool:
    signal = signals.measure(code, run.stream, reference.stream)
    return signal is not None and signal.shown


def _said(result: FixResult) -> str:
    return "; ".join(dict.fromkeys(a.message for a in result.applied))
