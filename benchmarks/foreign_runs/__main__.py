"""`python -m benchmarks.foreign_runs --checkouts DIR`: run scripts of other people's repositories under the recorder, as they are and with planted bugs.

DIR holds one folder per repository of `runs.json`, named owner__name, at the commit that stands there. Each script is run in a copy of its folder, with
small made-up data where it reads some. What `looplint run` says of it must be what stands in `runs.json`: of the script as it is, `clean`; of each planted
bug, that its rule is confirmed by the run (or what `verdict` says), what follows from it (`also`), and nothing more than of the script as it is; or where the
bug changes that as well, just what `all` lists. A bug that neither side finds is recorded as `missed`, with the reason, and counted as missed.

With `--device cuda` the scripts find the GPU, and those that ask for one use it. What `cuda` has in an entry or in a planted bug takes the place of
what a CPU shows; where a run on the GPU differs from what is wanted and nothing is written down there, that is reported, for somebody to read.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.cuda.__main__ import Clock, device_name
from benchmarks.figures import add_option, store
from benchmarks.foreign_runs.recipe import Changed, edited, fingerprint, on_device, write_data
from looplint.errors import UserError
from looplint.runtime.evidence.joining import CONFIRMED
from looplint.runtime.harness.devices import require_cuda
from looplint.runtime.harness.running import Inspection, inspect
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm

HERE = Path(__file__).parent
STAND_INS = HERE / "stand_ins"

Verdicts = list[list[str]]  # codes and verdicts


@dataclass(frozen=True)
class Outcome:
    """One run of a script: what was wanted of it, and what looplint said."""

    script: str
    planted: str  # a code; empty for the script as it is
    wanted: Verdicts
    verdicts: Verdicts
    missed: str  # why neither side finds the bug, where that is known
    run: str
    gpu: bool  # whether the script used one
    seconds: float

    @property
    def right(self) -> bool:
        return self.verdicts == self.wanted


def outcomes(entry: Mapping[str, Any], checkouts: Path, device: str, clock: Clock, launch: Any) -> Iterator[Outcome]:
    """Runs one script in all its forms, as far as the time allows.

    Raises:
        Changed: the script's text is not the one that its edits were written for.
    """
    path = path_of(entry, checkouts)
    text = path.read_text(encoding="utf-8")
    if fingerprint(text) != entry["sha256"]:
        raise Changed(f"{path} is not the file of {entry['repo']} at {entry['commit'][:12]}")
    entry = on_device(entry, device)
    clean: Verdicts = entry["clean"]
    for planted in [None, *(on_device(bug, device) for bug in entry["planted"])]:
        if clock.left() <= 0:
            return
        began = time.perf_counter()
        edits = [*entry.get("setup", ()), *(planted["edits"] if planted else ())]
        inspection = run(path, edited(text, _last_of_each(edits)), entry, device, launch)
        verdicts = sorted([j.code, "confirmed" if j.verdict in CONFIRMED else j.verdict] for j in inspection.joined)
        missed = planted.get("missed", "") if planted else ""
        bug = (
            [[planted["code"], planted.get("verdict", "confirmed")], *planted.get("also", [])]
            if planted and (not missed or "verdict" in planted)
            else []
        )
        wanted = sorted(planted["all"] if planted and "all" in planted else [*clean, *bug])
        ran = f"{inspection.recording.message}; {len(inspection.recording.stream.of('step'))} steps"
        yield Outcome(
            name(entry),
            planted["code"] if planted else "",
            wanted,
            verdicts,
            missed,
            ran,
            bool(inspection.recording.stream.gpu),
            time.perf_counter() - began,
        )


def name(entry: Mapping[str, Any]) -> str:
    """A script by its repository and path, and by the first of its arguments: some scripts are several."""
    return " ".join([f"{entry['repo']}/{entry['path']}", *entry.get("arguments", ())[:2]])


def _last_of_each(edits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Where a planted bug stands on a line that the setup had to change, the bug."""
    rows = {edit.get("set"): edit for edit in edits if "set" in edit}
    return [*(edit for edit in edits if "set" not in edit), *rows.values()]


def run(path: Path, text: str, entry: Mapping[str, Any], device: str, launch: Any) -> Inspection:
    """`looplint run` on a text in the place of a script, in a copy of the script's folder."""
    with copied(path, text, entry) as script:
        return inspect(script, options_of(entry, device), launch=launch)


def options_of(entry: Mapping[str, Any], device: str) -> Options:
    """How a script is run: from the folder that it is in, unless the entry names another (`folder`), and perhaps as a module."""
    arguments, module = tuple(entry.get("arguments", ())), entry.get("module", "")
    return Options(arguments=arguments, module=module, cwd=Path.cwd(), seconds=120, device=device, **entry["limits"])


def environment(device: str) -> dict[str, str]:
    """The scripts find what stands in for missing libraries and data, and a GPU only where they are to use it."""
    path = os.pathsep.join(p for p in (str(STAND_INS), os.environ.get("PYTHONPATH", "")) if p)
    return {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", **({"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {})}


@contextmanager
def copied(path: Path, text: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """Within it, the working folder is a copy of the script's, with the text in the script's place; what to run there."""
    inside = Path(entry["path"]).relative_to(entry["folder"]) if "folder" in entry else Path(path.name)
    source = path.parents[len(inside.parts) - 1]
    with tempfile.TemporaryDirectory(prefix="looplint-") as temporary:
        folder = Path(temporary, "repository", source.name)
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".git", "*.ipynb", "*.png", "*.gif", "*.jpg"))
        (folder / inside).write_text(text, encoding="utf-8")
        write_data(folder, entry.get("files", {}))
        here = Path.cwd()
        os.chdir(folder)  # as the scripts' own instructions say, and so that places are shown as a user sees them
        try:
            yield entry.get("module", str(inside))
        finally:
            os.chdir(here)


# In each process of the pool: the one that its scripts are run in. It ends with the pool's, when its input does. (A pool's initializer
# has nowhere else to leave what it starts.)
_warm: Warm | None = None


def _start(device: str) -> None:
    global _warm
    _warm = Warm(environment(device))


def _of_entry(entry: Mapping[str, Any], checkouts: Path, device: str, clock: Clock) -> list[Outcome]:
    assert _warm is not None
    return list(outcomes(entry, checkouts, device, clock, _warm.launch))


def parser_of(program: str, description: str | None) -> argparse.ArgumentParser:
    """The options of both commands."""
    parser = argparse.ArgumentParser(prog=program, description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--runs", type=Path, default=HERE / "runs.json", help="the list of scripts and bugs")
    parser.add_argument("--only", default="", help="only scripts whose repository or path contains this")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="cuda: the scripts find the GPU")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which no other run is begun")
    parser.add_argument("--out", type=Path, help="a file to write all that was measured to")
    add_option(parser)
    return parser


def entries_of(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The scripts that are asked for and there; on a GPU those that use one come first, because the time may not suffice for all.

    Raises:
        UserError: torch can use no GPU, or what a GPU shows was to be stored as what a processor does.
    """
    if options.device == "cuda":
        require_cuda()
        if options.store:
            raise UserError("--store keeps what a CPU shows: leave out --device cuda")
    entries = [e for e in json.loads(options.runs.read_text(encoding="utf-8")) if options.only in f"{e['repo']}/{e['path']}"]
    for repository in sorted({e["repo"] for e in entries if not path_of(e, options.checkouts).exists()}):
        print(f"{repository}: no checkout, left out", file=sys.stderr)
    entries = [e for e in entries if path_of(e, options.checkouts).exists()]
    return sorted(entries, key=lambda e: options.device == "cuda" and "cuda" not in e and not _asks_for_gpu(path_of(e, options.checkouts)))


def path_of(entry: Mapping[str, Any], checkouts: Path) -> Path:
    return checkouts / str(entry["repo"]).replace("/", "__") / str(entry["path"])


def _asks_for_gpu(script: Path) -> bool:
    return re.search(r"\bcuda\b|torch\.accelerator\b", script.read_text(encoding="utf-8")) is not None


def write(options: argparse.Namespace, facts: Mapping[str, Any]) -> None:
    """Writes what was measured to the file that is asked for, and what it was measured on."""
    if options.out:
        where = {"device": options.device, "device_name": device_name(options.device), "torch": version("torch")}
        options.out.write_text(json.dumps({**where, **facts}, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of("python -m benchmarks.foreign_runs", __doc__)
    parser.add_argument("--jobs", "-j", type=int, default=1, help="scripts to run at a time")
    options = parser.parse_args(arguments)
    clock = Clock(options.seconds)
    entries = entries_of(options)
    found: list[Outcome] = []
    left: list[str] = []
    with ProcessPoolExecutor(options.jobs, initializer=_start, initargs=(options.device,)) as pool:
        running = {pool.submit(_of_entry, entry, options.checkouts, options.device, clock): entry for entry in entries}
        for future in as_completed(running):
            some, entry = future.result(), running[future]
            found += some
            left += [f"{name(entry)}  {planted}" for planted in ["as it is", *(bug["code"] for bug in entry["planted"])][len(some) :]]
            for outcome in some:
                print(line(outcome), flush=True)
    wrong = sum(not outcome.right for outcome in found)
    scripts = len({outcome.script for outcome in found})
    planted = [outcome for outcome in found if outcome.planted]
    missed = sum(bool(outcome.missed) for outcome in planted)
    print(f"\n{scripts} scripts as they are, and {len(planted)} bugs planted in them, of which {missed} are known to be missed")
    print(f"{len(found) - missed - wrong} of {len(found) - missed} runs were judged right")
    if options.device == "cuda":
        print(f"{len({outcome.script for outcome in found if outcome.gpu})} of the scripts used the GPU")
    print("".join(f"not run  {run}\n" for run in left), end="")
    reported = sum(len(outcome.verdicts) for outcome in found if not outcome.planted)
    facts = {"scripts": scripts, "reported": reported, "planted": len(planted), "missed": missed, "wrong": wrong}
    write(options, {**facts, "outcomes": [asdict(outcome) for outcome in found], "not_run": left})
    if options.store:
        store("foreign_runs", facts)
    return 1 if wrong or left or not found else 0


def line(outcome: Outcome) -> str:
    """A run as a line, and what was wrong with it as another."""
    verdicts = ", ".join(f"{code} {verdict}" for code, verdict in outcome.verdicts) or "nothing found"
    word = "missed" if outcome.missed else "right"
    if not outcome.right:
        word = "DIFFERS" if outcome.gpu else "WRONG"
    text = f"{word:7} {outcome.script}  {outcome.planted or 'as it is'}: {verdicts} ({outcome.run}; {outcome.seconds:.1f} s)"
    if outcome.right:
        return text
    return text + "\n        wanted: " + (", ".join(f"{code} {verdict}" for code, verdict in outcome.wanted) or "nothing found")


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None
