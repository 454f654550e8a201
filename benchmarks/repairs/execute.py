"""A planted bug, repaired and run: does the repaired script end bitwise where the right one ends?"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.mutation.bases import Base
from benchmarks.mutation.measure import EQUIVALENTS, copy_program
from benchmarks.mutation.mutant import Mutant
from benchmarks.repairs.outcome import Outcome, Program, Subject, Texts, outcome_of, program_in
from looplint.runtime import signals
from looplint.runtime.record import Options, Recording
from looplint.runtime.warm import Warm

OPTIONS = Options(steps=400, seconds=60)


def outcomes(base: Base, planted: Sequence[Mutant], warm: Warm | None) -> Iterator[Outcome]:
    """Repair each mutant of a base; run it, too, where there is a process to run it in."""
    texts = Texts()
    runs = Runs(base, warm) if warm is not None else None
    for mutant in planted:
        with tempfile.TemporaryDirectory(prefix="repair-") as name:
            folder = Path(name)
            copy_program(base, folder)
            before = texts.checked(folder, mutant.code, unsafe=False).codes
            (folder / base.file).write_text(mutant.text, encoding="utf-8")
            subject = Subject(mutant.code, base.label, mutant.description, mutant.line)
            accepted = {mutant.code, *EQUIVALENTS.get(mutant.code, ())}
            yield outcome_of(subject, folder, accepted, before, texts, partial(runs.verdict, mutant) if runs is not None else None)


class Runs:
    """The runs of one base: of its right texts, of its mutants and of their repairs, of each text once."""

    def __init__(self, base: Base, warm: Warm) -> None:
        self.base = base
        self.warm = warm
        self._known: dict[Program, Recording] = {}
        self._left: dict[str, dict[str, bytes]] = {}

    def verdict(self, mutant: Mutant, repaired: Path) -> tuple[bool | None, str]:
        """Whether a repair does what the right text does, and how its run ended.

        It must end in bitwise the same parameters, and must not show the rule's damage, which is all there is to see where a rule is
        about memory. Where nothing right is known, the damage must be seen in the mutant and be gone. None: a run tells nothing.
        """
        reference = self._run(mutant.right or self.base.source, mutant.earlier)
        if not reference.ok:
            return None, "the right text does not run"
        run = self._recorded(repaired, mutant.earlier)
        if not run.ok and not self._run(mutant.text, mutant.earlier).ok:
            return None, "ends early before and after"
        if mutant.right is None:
            return self._cured(mutant, run, reference), run.outcome
        return same_run(mutant.code, run, reference), run.outcome

    def _cured(self, mutant: Mutant, run: Recording, reference: Recording) -> bool | None:
        if not _shown(mutant.code, self._run(mutant.text, mutant.earlier), reference):
            return None
        return run.ok and not _shown(mutant.code, run, reference)

    def _run(self, text: str, earlier: str | None) -> Recording:
        with tempfile.TemporaryDirectory(prefix="repair-") as name:
            return self._recorded(self._written(Path(name), text), earlier)

    def _written(self, folder: Path, text: str) -> Path:
        copy_program(self.base, folder)
        (folder / self.base.file).write_text(text, encoding="utf-8")
        return folder

    def _recorded(self, folder: Path, earlier: str | None) -> Recording:
        key = program_in(folder)
        if key not in self._known:
            for name, content in (self._files_of(earlier) if earlier is not None else {}).items():
                (folder / name).write_bytes(content)
            self._known[key] = self.warm.record(folder / self.base.main, replace(OPTIONS, cwd=folder))
        return self._known[key]

    def _files_of(self, earlier: str) -> dict[str, bytes]:
        """The files that a run of this text leaves."""
        if earlier not in self._left:
            with tempfile.TemporaryDirectory(prefix="repair-") as name:
                folder = self._written(Path(name), earlier)
                self.warm.record(folder / self.base.main, replace(OPTIONS, cwd=folder))
                self._left[earlier] = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and p.suffix != ".py"}
        return self._left[earlier]


def same_run(code: str, run: Recording, reference: Recording) -> bool | None:
    """Whether a run ends in bitwise the parameters of another one and shows no damage that the other does not; None if there are none."""
    same = signals.same_end(run.stream, reference.stream)
    return same and not (_shown(code, run, reference) and not _shown(code, reference, reference))


def _shown(code: str, run: Recording, reference: Recording) -> bool:
    signal = signals.measure(code, run.stream, reference.stream)
    return signal is not None and signal.shown
