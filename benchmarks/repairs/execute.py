"""A planted bug, repaired and run: does the repaired script end bitwise where the right one ends?"""

from __future__ import annotations

import ast
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from benchmarks.mutation.bases import Base
from benchmarks.mutation.measure import EQUIVALENTS, copy_program
from benchmarks.mutation.mutant import Mutant
from benchmarks.repairs.outcome import Outcome, Ran, Subject, Texts, outcome_of, program_in
from benchmarks.repairs.stand_in import asks_for_cuda, on_cpu
from looplint.runtime.evidence.claims import CLAIMS, measure
from looplint.runtime.evidence.signals import same_end
from looplint.runtime.streams.record import Options, Recording
from looplint.runtime.streams.warm import Warm

OPTIONS = Options(steps=400, seconds=60)
# What these rules report costs time and leaves the numbers as they are: a repaired run must end where the run that it repairs ends.
COSTS_ONLY = frozenset(code for code in CLAIMS if code.startswith("LP")) | {"LL403"}
# Worker processes take long to start; whether they stay is seen in the second epoch.
OF_WORKERS = frozenset({"LP001", "LP008"})


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


@dataclass(frozen=True, slots=True)
class Way:
    """How the programs of one comparison are run: after which text's run, with which hooks, for how many epochs (0: all), and whether the CPU stands in for CUDA."""

    earlier: str | None
    costs: bool
    epochs: int
    stand_in: bool = False


class Runs:
    """The runs of one base: of its right texts, of its mutants and of their repairs, of each program once in each way."""

    def __init__(self, base: Base, warm: Warm) -> None:
        self.base = base
        self.warm = warm
        self._known: dict[tuple[str, Way], Recording] = {}
        self._left: dict[tuple[str, bool], dict[str, bytes]] = {}

    def verdict(self, mutant: Mutant, repaired: Path) -> Ran:
        """Whether a repair does what the right text does, and how its run ended.

        It must end in bitwise the same parameters, and must not show the rule's damage, which is all there is to see where a rule is
        about memory. Where nothing right is known, the damage must be seen in the mutant and be gone; and where it is one of time alone,
        the repair must end where the mutant ends. Programs that need CUDA are run with the CPU in its place.
        """
        way = Way(mutant.earlier, mutant.code in CLAIMS and CLAIMS[mutant.code].costs, epochs=2 if mutant.code in OF_WORKERS else 0)
        right = mutant.right or self.base.source
        if not self._of(right, way).ok and asks_for_cuda(right):
            way = replace(way, stand_in=True)
        return self._compared(mutant, repaired, way)

    def _compared(self, mutant: Mutant, repaired: Path, way: Way) -> Ran:
        reference = self._of(mutant.right or self.base.source, way)
        if not reference.ok:
            return Ran(None, "the right text does not run")
        run = self._recorded(repaired, way)
        if not run.ok and not self._of(mutant.text, way).ok:
            if asks_for_cuda(mutant.text) and not way.stand_in:
                return self._compared(mutant, repaired, replace(way, stand_in=True))
            return Ran(None, "ends early before and after")
        same = same_run(mutant.code, run, reference) if mutant.right is not None else self._without_right(mutant, run, reference, way)
        return Ran(same, run.outcome, way.stand_in)

    def _without_right(self, mutant: Mutant, run: Recording, reference: Recording, way: Way) -> bool | None:
        broken = self._of(mutant.text, way)
        cured = run.ok and not _shown(mutant.code, run, reference) if _shown(mutant.code, broken, reference) else None
        if mutant.code not in COSTS_ONLY or not broken.ok:
            return cured
        same = same_end(run.stream, broken.stream)
        return same and cured is not False

    def _of(self, text: str, way: Way) -> Recording:
        with tempfile.TemporaryDirectory(prefix="repair-") as name:
            return self._recorded(self._written(Path(name), text), way)

    def _written(self, folder: Path, text: str) -> Path:
        copy_program(self.base, folder)
        (folder / self.base.file).write_text(text, encoding="utf-8")
        return folder

    def _recorded(self, program: Path, way: Way) -> Recording:
        key = _meaning(program), way
        if key not in self._known:
            with tempfile.TemporaryDirectory(prefix="repair-") as name:
                folder = Path(shutil.copytree(program, name, symlinks=True, dirs_exist_ok=True))
                for left, content in self._files_of(way).items():
                    (folder / left).write_bytes(content)
                self._known[key] = self._run(folder, way)
        return self._known[key]

    def _run(self, folder: Path, way: Way) -> Recording:
        for file in folder.glob("*.py") if way.stand_in else ():
            file.write_text(on_cpu(file.read_text(encoding="utf-8")), encoding="utf-8")
        return self.warm.record(folder / self.base.main, replace(OPTIONS, cwd=folder, costs=way.costs, epochs=way.epochs))

    def _files_of(self, way: Way) -> dict[str, bytes]:
        """The files that the earlier run leaves."""
        if way.earlier is None:
            return {}
        key = way.earlier, way.stand_in
        if key not in self._left:
            with tempfile.TemporaryDirectory(prefix="repair-") as name:
                folder = self._written(Path(name), way.earlier)
                self._run(folder, way)
                self._left[key] = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file() and p.suffix != ".py"}
        return self._left[key]


def _meaning(program: Path) -> str:
    """What tells programs apart that do not do the same: their syntax trees, in which there are no comments and no layout."""
    digest = hashlib.sha256()
    for name, text in program_in(program):
        digest.update(f"{name}\n{ast.dump(ast.parse(text))}\n".encode())
    return digest.hexdigest()


def same_run(code: str, run: Recording, reference: Recording) -> bool | None:
    """Whether a run ends in bitwise the parameters of another one and shows no damage that the other does not; None if there are none."""
    same = same_end(run.stream, reference.stream)
    return same and not (_shown(code, run, reference) and not _shown(code, reference, reference))


def _shown(code: str, run: Recording, reference: Recording) -> bool:
    signal = measure(code, run.stream, reference.stream)
    return signal is not None and signal.shown
