"""A broken fixture, repaired and run: does it end bitwise where the expert's repair ends?"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.mutation.bases import FIXTURES
from benchmarks.repairs.execute import OPTIONS, same_run
from benchmarks.repairs.outcome import Outcome, Ran, Subject, Texts, outcome_of
from looplint.linting import catalogue
from looplint.runtime.harness.verify import Case, cases
from looplint.runtime.streams.record import Recording
from looplint.runtime.streams.warm import Warm

FORM = "fixture"


def fixture_cases() -> list[Case]:
    """The broken fixtures that an expert has repaired, of all rules that have some."""
    folders = [(rule.code, FIXTURES / rule.name.replace("-", "_")) for rule in catalogue.load()]
    return [case for code, folder in folders if folder.is_dir() for case in cases(folder, code) if case.expert is not None]


def fixture_outcome(case: Case, warm: Warm) -> Outcome:
    """Repair a fixture and run it beside the expert's repair."""
    expert, texts = case.expert, Texts()
    assert expert is not None
    with _copied(expert) as right, _copied(case.broken) as broken:
        before = texts.checked(right, case.code, unsafe=False).codes

        def verdict(folder: Path) -> Ran:
            reference, run = _run(warm, right, expert), _run(warm, folder, case.broken)
            return Ran(same_run(case.code, run, reference), run.outcome) if reference.ok else Ran(None, "the right text does not run")

        subject = Subject(case.code, f"{case.rule}/{case.broken.name}", FORM, 1)
        return outcome_of(subject, broken, {case.code}, before, texts, verdict)


@contextmanager
def _copied(path: Path) -> Iterator[Path]:
    """A folder with nothing but the program of a fixture."""
    with tempfile.TemporaryDirectory(prefix="repair-") as name:
        if path.is_dir():
            shutil.copytree(path, name, dirs_exist_ok=True)
        else:
            shutil.copy(path, name)
        yield Path(name)


def _run(warm: Warm, folder: Path, form: Path) -> Recording:
    script = folder / ("main.py" if form.is_dir() else form.name)
    return warm.record(script, replace(OPTIONS, cwd=folder))
