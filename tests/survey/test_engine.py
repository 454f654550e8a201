"""Surveys on Ray, by the command: what is found, what fails and why, and what a second survey does not do again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from places import ROOT
from programs import BROKEN, RULE
from surveys import bare, checked, printed, several, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.exhaustive,
    pytest.mark.skipif(not all(map(find_spec, ("ray", "pyarrow", "plotly"))), reason="Ray, Arrow or plotly is not installed"),
]

# One Ray for several commands, in a process of its own: a test process that forks must not have Ray's threads.
_DRIVER = """
import json, shutil, sys
from looplint.commands.cli import cli
from looplint.survey import private
private.keep()
from looplint.survey.engine import session
ends = []
with session(None, 2, False):
    for arguments, kept in json.loads(sys.argv[1]):
        try:
            cli.main(arguments, standalone_mode=False)
        except SystemExit as end:
            ends.append(end.code)
        if kept:
            shutil.copytree(arguments[3], kept)
print(json.dumps(ends))
"""
# A rule that does something to the process that runs it, and counts how often it was run.
_DEED = RULE.replace(
    "    for event in program.of(Step):\n",
    "    import os\n    import signal\n    with open(os.path.join(os.path.dirname(__file__), 'runs.txt'), 'a') as file:\n        file.write('x')\n"
    "    DEED\n    for event in program.of(Step):\n",
)
_DEEDS = {
    "dies": "os.kill(os.getpid(), signal.SIGKILL)",
    "hangs": "while True: pass",
}
_OPTIONS = ["--allow-rules", "--time-limit", "4", "--retries", "1", "--cut", "1", "--config", "ignore = ['LL402']", "--quiet"]
_MARK = "LOOPLINT_TEST_SURVEY"


class Ran(NamedTuple):
    """What two surveys of the same sources gave: how they ended, the folder, and its files after the first and the second."""

    folder: Path
    ends: list[int]
    before: dict[str, tuple[int, bytes]]
    after: dict[str, tuple[int, bytes]]
    left: list[str]


def files(out: Path) -> dict[str, tuple[int, bytes]]:
    return {p.relative_to(out).as_posix(): (p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(out.rglob("*.parquet"))}


def left_behind(mark: str) -> list[str]:
    """The processes with a mark in their environment that do not end within a minute; Ray's workers see a little later that their Ray has ended."""
    end = time.monotonic() + 60
    while (found := processes(mark)) and time.monotonic() < end:
        time.sleep(0.2)
    return found


def processes(mark: str) -> list[str]:
    """The processes that were started with a mark in their environment and still run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().decode().replace("\0", " "))
        except OSError:
            continue
    return found


def surveyed_twice(folder: Path) -> Ran:
    several(folder / "several")
    bare(folder / "commit.git", write(folder / "work", {"train.py": BROKEN}))
    for name, deed in _DEEDS.items():
        own = {"lint/no_steps.py": _DEED.replace("DEED", deed), "looplint.toml": 'rules = ["lint"]\nextend-select = ["ACME1"]\n'}
        write(folder / name, {**own, "train.py": BROKEN})
    rows = [{"name": name, "place": name, "kind": "made"} for name in ("several", "commit.git", *_DEEDS, "missing")]
    (folder / "all.json").write_text(json.dumps(rows))
    mark = f"{_MARK}={folder}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), _MARK: str(folder)}
    survey = ["survey", str(folder / "all.json"), "-o", str(folder / "out"), *_OPTIONS]
    again = ["survey", str(folder / "second.json"), "-o", str(folder / "out"), *_OPTIONS]
    # The second survey knows a repository more, and one that was there has changed.
    rows[1]["place"] = "changed.git"
    (folder / "second.json").write_text(json.dumps([*rows, {"name": "new", "place": "work"}]))
    bare(folder / "changed.git", write(folder / "changed", {"other.py": BROKEN}))
    commands = [(survey, str(folder / "first")), (again, None), (["survey", "report", str(folder / "out")], None)]
    command = [sys.executable, "-c", _DRIVER, json.dumps(commands)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=400)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, err
    return Ran(folder, json.loads(out.splitlines()[-1]), files(folder / "first"), files(folder / "out"), left_behind(mark))


def rows(folder: Path, kind: str) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return list(pq.read_table(folder / kind).to_pylist())


def what_is_found_is_what_check_finds(ran: Ran) -> None:
    for name, folder in (("several", "several"), ("commit.git", "work")):
        assert printed([row["record"] for row in rows(ran.folder / "first", "findings") if row["repository"] == name]) == checked(
            ran.folder / folder
        )
    assert {row["repository"]: row["tasks"] for row in rows(ran.folder / "first", "repositories") if row["state"] == "done"} == {
        "several": 2,
        "commit.git": 1,
    }


def the_settings_of_the_command_line_are_stored(ran: Ran) -> None:
    assert {row["settings"] for row in rows(ran.folder / "out", "repositories")} == {'{"allow-rules": true, "ignore": ["LL402"]}'}


def what_dies_or_hangs_is_tried_again_and_has_failed_then(ran: Ran) -> None:
    failed = {row["repository"]: row["reason"] for row in rows(ran.folder / "first", "repositories") if row["state"] == "failed"}
    assert failed.keys() == {*_DEEDS, "missing"}
    assert failed["hangs"] == "took more than 4 s of processor time"
    assert "WorkerCrashedError" in failed["dies"] and "no such folder" in failed["missing"]
    for name in _DEEDS:
        # By the first survey alone: the second one has the same limits.
        assert (ran.folder / name / "lint" / "runs.txt").read_text() == "xx"


def a_survey_goes_on_where_it_stopped(ran: Ran) -> None:
    assert ran.ends == [1, 1]
    changed = {name for name, content in ran.after.items() if ran.before.get(name) != content}
    assert {Path(name).name.rpartition("-")[0] for name in changed} == {"commit.git", "missing", "new"}
    assert ran.before.keys() < ran.after.keys()
    assert {row["repository"] for row in rows(ran.folder / "out", "repositories")} == {"several", "commit.git", "missing", "new", *_DEEDS}


def it_reports_and_leaves_no_process_behind(ran: Ran) -> None:
    assert (ran.folder / "out" / "report.html").read_text().startswith("<!doctype html>")
    assert ran.left == []


def test_surveys_on_ray(tmp_path: Path) -> None:
    """One test, so that Ray is started once, however the tests are spread over processes."""
    ran = surveyed_twice(tmp_path)
    what_is_found_is_what_check_finds(ran)
    the_settings_of_the_command_line_are_stored(ran)
    what_dies_or_hangs_is_tried_again_and_has_failed_then(ran)
    a_survey_goes_on_where_it_stopped(ran)
    it_reports_and_leaves_no_process_behind(ran)
