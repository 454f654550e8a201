"""The benchmark for a machine with a GPU, as far as one without can try it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.cuda.__main__ import main, order
from looplint.runtime.evidence.joining import OBSERVED
from looplint.runtime.harness import neutrality
from looplint.runtime.harness.devices import missing_cuda
from places import ROOT

SCRIPT = ROOT / "benchmarks" / "cuda" / "run"


def test_what_only_a_gpu_shows_comes_first() -> None:
    codes = order([])
    only = [code for code in codes if code in OBSERVED and OBSERVED[code].cuda]
    assert codes[: len(only)] == only and len(only) > 5 and len(codes) > len(only)


@pytest.mark.slow
def test_all_parts_are_measured_on_a_processor_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.json"
    measured = neutrality.Check(1.0, 1.2, 1.2, 70, 70)  # which has tests of its own
    monkeypatch.setattr(neutrality, "check", lambda device, runs, launch: measured)
    assert main(["--device", "cpu", "--rules", "LL204", "LL605", "--jobs", "1", "--out", str(out)]) == 0
    facts = json.loads(out.read_text())
    assert {case["status"] for case in facts["evidence"]["cases"]} == {"proven"}
    assert {case["code"] for case in facts["evidence"]["cases"]} == {"LL204", "LL605"}
    assert facts["recorder"] == facts["evidence"]["recorder"] == measured.as_json()
    waits = {"steps": 200, "plain": 0, "recorded": 0, "waiting_steps_of_the_second_half": 0, "waiting_steps_without_a_measurement": 0}
    assert facts["waits"] == waits


def test_what_there_is_no_time_for_is_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["--device", "cpu", "--rules", "LL204", "--seconds", "1", "--out", str(out)]) == 1
    facts = json.loads(out.read_text())
    assert (facts["waits"], facts["recorder"], facts["not_run"], facts["evidence"]["cases"]) == ("not run", "not run", ["LL204"], [])
    assert "rules that there was no time for: LL204" in capsys.readouterr().out


@pytest.mark.slow
def test_without_a_gpu_it_says_so_and_writes_nothing(tmp_path: Path) -> None:
    if missing_cuda() is None:
        pytest.skip("there is a GPU, and the benchmark would run")
    out = tmp_path / "out.json"
    environment = {**os.environ, "LOOPLINT_PYTHON": sys.executable}
    done = subprocess.run([str(SCRIPT), "--out", str(out)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "torch can use no GPU here" in done.stderr
    assert not out.exists()
