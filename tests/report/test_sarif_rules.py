"""SARIF by the rules of the official multitool (`Sarif.Multitool validate`), which look at more than its schema."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from command_line import looplint_text
from places import EXAMPLES, ROOT
from programs import BROKEN

pytestmark = pytest.mark.slow


def judged(file: Path) -> Counter[tuple[str, str]]:
    """How often the multitool names each of its rules, with the level."""
    multitool = shutil.which("Sarif.Multitool")
    if multitool is None:
        pytest.skip("not run: Sarif.Multitool (npm: @microsoft/sarif-multitool-linux) is not on the path")
    report = file.with_suffix(".judged.sarif")
    rules = ["--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note"]
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    done = subprocess.run(
        [multitool, "validate", file, "--output", report, *rules], env=environment, capture_output=True, text=True, check=False
    )
    assert report.exists(), done.stdout + done.stderr
    (run,) = json.loads(report.read_text(encoding="utf-8-sig"))["runs"]
    results: list[dict[str, Any]] = run.get("results", [])
    return Counter((result.get("level", "warning"), result["ruleId"]) for result in results)


def written(folder: Path) -> Path:
    """A report of findings with and without repairs, in a notebook, in a file with an odd name, and of what cannot be read."""
    for example in EXAMPLES.iterdir():
        shutil.copy(example, folder)
    shutil.copy(ROOT / "fixtures" / "missing_eval_mode" / "call_without_parentheses.py", folder)
    (folder / "é 1%.py").write_text(BROKEN)
    (folder / "torn.py").write_text("import torch\nloss.backward(\n")
    looplint_text(".", "--output-format", "sarif", "--output-file", "found.sarif", cwd=folder)
    return folder / "found.sarif"


def test_the_multitool_finds_no_error_and_nothing_to_warn_of(tmp_path: Path) -> None:
    found = judged(written(tmp_path))
    assert {level for level, _ in found} <= {"note"}, found
    # What it would like besides: links in messages, excerpts of the source, the state of version control, names of rules in PascalCase, addresses that answer.
    assert {rule for _, rule in found} <= {"SARIF2002", "SARIF2003", "SARIF2006", "SARIF2010", "SARIF2011", "SARIF2012"}, found


def test_the_multitool_finds_what_is_wrong(tmp_path: Path) -> None:
    file = written(tmp_path)
    report = json.loads(file.read_text(encoding="utf-8"))
    region = report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    region["endLine"], region["endColumn"] = region["startLine"], 1
    file.write_text(json.dumps(report), encoding="utf-8")
    assert ("error", "SARIF1007") in judged(file)
