"""The evidence for the catalogue: each rule's fixtures are run broken, with the expert's repair, and with the linter's.

A case is proven when the broken run shows what the rule claims, the repaired runs do not, and the linter's repair ends bitwise where the expert's does.
"""

from __future__ import annotations

import math
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from looplint.errors import UserError
from looplint.linting import catalogue
from looplint.linting.selectors import choose
from looplint.runtime.evidence.claims import CLAIMS, measure
from looplint.runtime.evidence.signals import Signal, same_end
from looplint.runtime.streams.record import Launch, Options, Recording, record
from looplint.runtime.streams.warm import Several, available

Status = Literal["proven", "not proven", "not run"]


@dataclass(frozen=True, slots=True)
class Case:
    """A fixture whose broken form a rule reports, and its repairs. Each is a script, or a folder with a main.py."""

    rule: str
    code: str
    name: str
    broken: Path
    expert: Path | None
    fixed: Path | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the runs of one case showed."""

    rule: str
    code: str
    case: str
    status: Status
    note: str
    broken: Signal | None = None
    expert: Signal | None = None
    fixed: Signal | None = None
    # Whether the linter's repair ends bitwise where the expert's does; None where there is no repair, or nothing to compare.
    same: bool | None = None
    gpu: str = ""  # that the runs used
    # Whether the scripts name no device, and were run with their tensors on the GPU.
    placed: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Runs:
    """A case's recordings, for reports."""

    case: Case
    broken: Recording
    expert: Recording
    fixed: Recording | None


def entry(path: Path) -> Path:
    return path / "main.py" if path.is_dir() else path


def _beside(path: Path, kind: str) -> Path | None:
    """The repaired form of a fixture: `case.expert.py` beside `case.py`, or the folder `case.expert` beside `case`."""
    other = path.with_name(f"{path.stem if path.is_file() else path.name}.{kind}{path.suffix if path.is_file() else ''}")
    return other if other.exists() else None


def expects(path: Path, code: str) -> bool:
    """Whether some line of a fixture expects the rule's report."""
    files = [path] if path.is_file() else sorted(path.glob("**/*.py"))
    return any(_expected(file.read_text("utf-8", "replace"), code) for file in files)


def cases(folder: Path, code: str) -> Iterator[Case]:
    """The cases of one rule's folder that its rule must report."""
    for path in sorted(folder.iterdir()):
        repaired = re.search(r"\.(expert|fixed)(\.py)?$", path.name)
        runnable = path.suffix == ".py" if path.is_file() else (path / "main.py").exists()
        if repaired or not runnable or not expects(path, code):
            continue
        yield Case(folder.name, code, path.stem if path.is_file() else path.name, path, _beside(path, "expert"), _beside(path, "fixed"))


def judge(case: Case, options: Options, launch: Launch | None = None) -> tuple[Verdict, Runs | None]:
    """Runs the forms of a case, and compares what they show."""
    began = time.monotonic()

    def verdict(status: Status, note: str, **facts: Any) -> Verdict:
        return Verdict(case.rule, case.code, case.name, status, note, seconds=time.monotonic() - began, **facts)

    if (claim := CLAIMS.get(case.code)) is None:
        return verdict("not run", "the rule claims nothing that a run could show"), None
    if case.expert is None:
        return verdict("not run", "no expert's repair"), None
    if claim.accelerator and options.device == "cpu":
        return verdict("not run", "only a copy to an accelerator can show it"), None
    options = replace(options, costs=claim.costs, placed=options.device == "cuda" and not _asks_for_gpu(case.expert))
    expert = _run(case.expert, options, launch)
    if options.device == "cuda" and not options.placed and not expert.stream.gpu:
        options = replace(options, placed=True)
        expert = _run(case.expert, options, launch)
    if options.device == "cuda" and not expert.stream.gpu:
        return verdict("not run", f"the run used no GPU: {expert.message}"), None
    if options.placed and not expert.ok:
        return verdict("not run", f"the script does not run with its tensors on the GPU: {expert.message}", placed=True), None
    broken = _run(case.broken, replace(options, watch=_probed(case)), launch)
    fixed = _run(case.fixed, options, launch) if case.fixed else None
    runs = Runs(case, broken, expert, fixed)
    for name, run in (("expert's repair", expert), ("linter's repair", fixed)):
        if run is not None and not run.ok:
            return verdict("not proven", f"the {name} did not run: {run.message}"), runs
    shown = measure(case.code, broken.stream, expert.stream)
    clean = measure(case.code, expert.stream, expert.stream)
    repaired = measure(case.code, fixed.stream, expert.stream) if fixed else None
    same = same_end(fixed.stream, expert.stream) if fixed else None
    note = _objection(broken, shown, clean, repaired, same)
    facts = {"broken": shown, "expert": clean, "fixed": repaired, "same": same, "gpu": expert.stream.gpu, "placed": options.placed}
    return verdict("not proven" if note else "proven", note, **facts), runs


def _objection(broken: Recording, shown: Signal | None, clean: Signal | None, repaired: Signal | None, same: bool | None) -> str:
    """Why the case is not proven; empty where it is."""
    if shown is None or clean is None:
        return "nothing was measured"
    if not broken.ok and not (shown.shown and broken.outcome == "crashed"):
        return f"the broken script did not run: {broken.message}"
    if not shown.shown:
        return "the broken run does not show it"
    if clean.shown:
        return "the expert's repair shows it too"
    if repaired is not None and repaired.shown:
        return "the linter's repair shows it still"
    if same is False:
        return "the linter's repair ends with other parameters than the expert's"
    return ""


def _asks_for_gpu(path: Path) -> bool:
    files = [path] if path.is_file() else path.glob("**/*.py")
    return any(re.search(r"torch\.(cuda|accelerator)\b", file.read_text("utf-8", "replace")) for file in files)


def _run(path: Path, options: Options, launch: Launch | None) -> Recording:
    script = entry(path)
    return record(script, replace(options, cwd=script.parent), launch)


def _probed(case: Case) -> dict[str, list[int]]:
    """The lines that the rule reports, where only a probe shows what happens."""
    observed = CLAIMS[case.code].observed
    if observed is None or not observed.probed:
        return {}
    files = [case.broken] if case.broken.is_file() else sorted(case.broken.glob("**/*.py"))
    lines = {
        os.path.realpath(f): [n for n, text in enumerate(f.read_text("utf-8").splitlines(), 1) if _expected(text, case.code)] for f in files
    }
    return {path: numbers for path, numbers in lines.items() if numbers}


def _expected(text: str, code: str) -> bool:
    return re.search(rf"#\s*expect:[^#\n]*\b{code}\b", text) is not None


Progress = Callable[[Verdict, int, int], None]


def verify(
    rules: Sequence[str] = (),
    device: str = "cpu",
    *,
    fixtures: Path | None = None,
    seconds: float = 60.0,
    jobs: int = 1,
    progress: Progress | None = None,
    launch: Launch | None = None,
    keep: Callable[[Verdict, Runs], None] | None = None,
) -> list[Verdict]:
    """Judges every case of the rules that are named by code, prefix or name (all, where none is).

    `jobs` are run at a time, by `launch` where it is given. `progress` is called after each case, and `keep` gets the recordings of each that ran, in the cases' order.
    """
    chosen = [(rule.code, folder) for rule, folder in _folders(rules, fixtures)]
    waiting = [case for code, folder in chosen for case in cases(folder, code)]
    verdicts: list[Verdict] = []
    environment = {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}
    options = Options(seconds=seconds, device=device, whole=True, environment={"OMP_NUM_THREADS": "1"})
    with Several({**environment, **options.environment}) as warm, ThreadPoolExecutor(jobs) as pool:
        launch = launch or (warm.launch if available() else None)
        try:
            for verdict, runs in pool.map(lambda case: judge(case, options, launch), waiting):
                verdicts.append(verdict)
                if keep is not None and runs is not None:
                    keep(verdict, runs)
                if progress is not None:
                    progress(verdict, len(verdicts), len(waiting))
        except BaseException:  # also when the user interrupts: what waits must not run first
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return verdicts


def _folders(rules: Sequence[str], fixtures: Path | None) -> list[tuple[catalogue.Rule, Path]]:
    root = fixtures or catalogue.folder("fixtures")
    if not root.is_dir():
        raise UserError(
            f"{root}: no such folder; the fixtures are part of a checkout (git clone https://github.com/looplint/looplint) and of the source "
            "distribution, not of what is installed: run this there, or name a folder with --fixtures"
        )
    wanted = [name.strip() for names in rules for name in names.split(",") if name.strip()]
    found = []
    for rule in choose(catalogue.load(), select=wanted or ["ALL"]):
        folder = root / rule.name.replace("-", "_")
        if folder.is_dir():
            found.append((rule, folder))
    return found


def word(code: str) -> str:
    """What a proven case shows: that the damage was measured, or that the line does what the rule reports."""
    observed = CLAIMS[code].observed if code in CLAIMS else None
    return "does harm" if observed is None or observed.harm or observed.compared else "happens"


def table(verdicts: Iterable[Verdict]) -> str:
    """The verdicts as text, one line each."""
    rows = [("code", "case", "verdict", "shows that it", "repair", "what the broken run shows")]
    for v in verdicts:
        repair = {True: "same bits", False: "differs", None: "none" if v.fixed is None else "clean"}[v.same]
        shown = word(v.code) if v.status == "proven" else ""
        rows.append((v.code, f"{v.rule}/{v.case}", v.status, shown, repair, v.note or (v.broken.text if v.broken else "")))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return "\n".join("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[5]]).rstrip() for row in rows)


def as_json(verdicts: Iterable[Verdict], device: str, recorder: dict[str, Any] | None = None) -> dict[str, Any]:
    """The verdicts as evidence: what was measured, with which torch, on which device, and the check of the recorder itself."""
    verdicts = list(verdicts)
    versions = {"torch": _torch_version(), "python": platform.python_version(), "device": device, "machine": platform.machine()}
    if gpu := next((verdict.gpu for verdict in verdicts if verdict.gpu), ""):
        versions["gpu"] = gpu
    entries = [
        {**{k: _finite(v) for k, v in asdict(verdict).items() if k not in ("seconds", "gpu", "placed")}, "shows": word(verdict.code)}
        | ({"placed": True} if verdict.placed else {})
        for verdict in verdicts
    ]
    return {"version": 1, **versions, **({"recorder": recorder} if recorder else {}), "cases": entries}


def _finite(value: Any) -> Any:
    """A signal's number to six digits; JSON has none for what is not finite."""
    if not isinstance(value, dict):
        return value
    return {k: (float(f"{v:.6g}") if math.isfinite(v) else None) if isinstance(v, float) else v for k, v in value.items()}


def _torch_version() -> str:
    from importlib.metadata import version

    return version("torch")
