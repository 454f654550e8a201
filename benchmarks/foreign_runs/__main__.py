"""`python -m benchmarks.foreign_runs --checkouts DIR`: run scripts of other people's repositories under the recorder, as they are and with planted bugs.

DIR holds one folder per repository of `runs.json`, named owner__name, at the commit that stands there. Each script is run in a copy of its folder, with
small made-up data where it reads some. What `looplint run` says of it must be what stands in `runs.json`: of the script as it is, `clean`; of each planted
bug, that its rule is confirmed by the run (or what `verdict` says), what follows from it (`also`), and nothing more than of the script as it is; or where the
bug changes that as well, just what `all` lists. A bug that neither side finds is recorded as `missed`, with the reason, and counted as missed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import add_option, store
from benchmarks.foreign_runs.recipe import Changed, edited, fingerprint, write_data
from looplint.runtime.evidence.joining import CONFIRMED
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
    seconds: float

    @property
    def right(self) -> bool:
        return self.verdicts == self.wanted


def outcomes(entry: Mapping[str, Any], checkouts: Path, launch: Any) -> Iterator[Outcome]:
    """Runs one script in all its forms.

    Raises:
        Changed: the script's text is not the one that its edits were written for.
    """
    path = checkouts / entry["repo"].replace("/", "__") / entry["path"]
    text = path.read_text(encoding="utf-8")
    if fingerprint(text) != entry["sha256"]:
        raise Changed(f"{path} is not the file of {entry['repo']} at {entry['commit'][:12]}")
    clean: Verdicts = entry["clean"]
    for planted in [None, *entry["planted"]]:
        began = time.perf_counter()
        edits = [*entry.get("setup", ()), *(planted["edits"] if planted else ())]
        inspection = run(path, edited(text, _last_of_each(edits)), entry, launch)
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
            time.perf_counter() - began,
        )


def name(entry: Mapping[str, Any]) -> str:
    """A script by its repository and path, and by the first of its arguments: some scripts are several."""
    return " ".join([f"{entry['repo']}/{entry['path']}", *entry.get("arguments", ())[:2]])


def _last_of_each(edits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Where a planted bug stands on a line that the setup had to change, the bug."""
    rows = {edit.get("set"): edit for edit in edits if "set" in edit}
    return [*(edit for edit in edits if "set" not in edit), *rows.values()]


def run(path: Path, text: str, entry: Mapping[str, Any], launch: Any) -> Inspection:
    """`looplint run` on a text in the place of a script, in a copy of the script's folder."""
    with copied(path, text, entry) as script:
        return inspect(script, options_of(entry), launch=launch)


def options_of(entry: Mapping[str, Any]) -> Options:
    """How a script is run: from the folder that it is in, unless the entry names another (`folder`), and perhaps as a module."""
    return Options(
        arguments=tuple(entry.get("arguments", ())), module=entry.get("module", ""), cwd=Path.cwd(), seconds=120, **entry["limits"]
    )


def environment() -> dict[str, str]:
    """The scripts find what stands in for missing libraries and data, and no GPU."""
    path = os.pathsep.join(p for p in (str(STAND_INS), os.environ.get("PYTHONPATH", "")) if p)
    return {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.foreign_runs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--runs", type=Path, default=HERE / "runs.json", help="the list of scripts and bugs")
    parser.add_argument("--only", default="", help="only scripts whose repository or path contains this")
    add_option(parser)
    options = parser.parse_args(arguments)
    entries = [e for e in json.loads(options.runs.read_text(encoding="utf-8")) if options.only in f"{e['repo']}/{e['path']}"]
    found: list[Outcome] = []
    with Warm(environment()) as warm:
        for entry in entries:
            if not (options.checkouts / entry["repo"].replace("/", "__")).is_dir():
                print(f"{entry['repo']}: no checkout, left out", file=sys.stderr)
                continue
            for outcome in outcomes(entry, options.checkouts, warm.launch):
                found.append(outcome)
                print(line(outcome), flush=True)
    wrong = sum(not outcome.right for outcome in found)
    scripts = len({outcome.script for outcome in found})
    planted = [outcome for outcome in found if outcome.planted]
    missed = sum(bool(outcome.missed) for outcome in planted)
    print(f"\n{scripts} scripts as they are, and {len(planted)} bugs planted in them, of which {missed} are known to be missed")
    print(f"{len(found) - missed - wrong} of {len(found) - missed} runs were judged right")
    if options.store:
        reported = sum(len(outcome.verdicts) for outcome in found if not outcome.planted)
        facts = {"scripts": scripts, "reported": reported, "planted": len(planted), "missed": missed, "wrong": wrong}
        store("foreign_runs", facts)
    return 1 if wrong or not found else 0


def line(outcome: Outcome) -> str:
    """A run as a line, and what was wrong with it as another."""
    verdicts = ", ".join(f"{code} {verdict}" for code, verdict in outcome.verdicts) or "nothing found"
    word = "WRONG" if not outcome.right else "missed" if outcome.missed else "right"
    text = f"{word:6} {outcome.script}  {outcome.planted or 'as it is'}: {verdicts} ({outcome.run}; {outcome.seconds:.1f} s)"
    if outcome.right:
        return text
    return text + "\n       wanted: " + (", ".join(f"{code} {verdict}" for code, verdict in outcome.wanted) or "nothing found")


if __name__ == "__main__":
    raise SystemExit(main())
