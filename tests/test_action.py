"""The GitHub Action: its file by the official schema, and its steps run as the runner runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import git
from places import ROOT
from programs import BROKEN, CLEAN

pytestmark = pytest.mark.slow

ACTION = ROOT / "action.yml"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A checkout to lint, and beside it what the first step installs."""
    scripts = tmp_path / "temp" / "looplint" / "bin"
    scripts.mkdir(parents=True)
    for name, command in (("looplint", "-m looplint "), ("python", "")):
        (scripts / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command}"$@"\n')
        (scripts / name).chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "broken.py").write_text(BROKEN)
    (folder / "clean.py").write_text(CLEAN)
    return folder


def lint(folder: Path, **inputs: str) -> tuple[int, str, dict[str, str]]:
    """The status, what was printed, and the outputs of the step that lints."""
    temp = folder.parent / "temp"
    output = temp / "output"
    output.write_text("")
    given = {f"LOOPLINT_{name.upper()}": value for name, value in {"paths": ".", "fail": "true", **inputs}.items()}
    runner = {"RUNNER_TEMP": temp, "GITHUB_OUTPUT": output, "GITHUB_WORKSPACE": folder, "GITHUB_ACTION_PATH": ROOT, "PYTHONPATH": ROOT}
    environment = {**os.environ, **{name: str(path) for name, path in runner.items()}, **given}
    done = subprocess.run(["bash", "-e", str(ROOT / ".ci" / "action.sh")], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr, dict(line.split("=", 1) for line in output.read_text().splitlines())


def test_findings_annotate_lines_and_fail_the_job(work: Path) -> None:
    status, printed, outputs = lint(work)
    assert status == 1 and outputs == {"findings": "1"}
    assert printed.startswith("::error title=looplint (LL102),file=broken.py,line=8,col=5,")
    assert lint(work, fail="false")[0] == 0
    assert lint(work, paths="clean.py\n")[::2] == (0, {"findings": "0"})


def test_paths_stand_on_lines_and_options_between_blanks(work: Path) -> None:
    (work / "a b.py").write_text(BROKEN)
    assert lint(work, paths="a b.py\nclean.py\n")[2] == {"findings": "1"}
    assert lint(work, args="--select LL2 --exclude *.txt")[::2] == (0, {"findings": "0"})
    status, printed, outputs = lint(work, args="--select LL999")
    assert status == 2 and "no rule has the code" in printed and outputs == {"findings": "0"}


def test_what_cannot_be_read_fails_the_job_anyway(work: Path) -> None:
    (work / "torn.py").write_text("import torch\nloss.backward(\n")
    status, printed, outputs = lint(work, fail="false")
    assert status == 2 and "torn.py" in printed and outputs == {"findings": "1"}


def test_the_sarif_file_is_written_and_named(work: Path) -> None:
    status, _, outputs = lint(work, sarif="out.sarif")
    assert status == 1 and outputs == {"findings": "1", "sarif-file": "out.sarif"}
    (run,) = json.loads((work / "out.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["LL102"]


def test_in_a_pull_request_only_changed_lines_count(work: Path) -> None:
    git(work, "init", "-b", "main")
    git(work, "add", ".")
    git(work, "commit", "-m", "first")
    (work / "new.py").write_text(BROKEN)
    base = subprocess.run(["git", "rev-parse", "HEAD"], cwd=work, capture_output=True, text=True, check=True).stdout.strip()
    status, printed, outputs = lint(work, base=base)
    assert status == 1 and outputs == {"findings": "1"} and "file=new.py" in printed and "broken.py" not in printed


def test_the_file_is_one_by_the_official_schema() -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", str(ACTION)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_audit_of_actions_finds_nothing() -> None:
    zizmor = Path(sys.executable).parent / "zizmor"
    if not zizmor.exists():
        pytest.skip("zizmor is not installed")
    done = subprocess.run([str(zizmor), "--offline", "--quiet", str(ACTION)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_input_is_used_and_none_stands_in_a_script() -> None:
    yaml: Any = pytest.importorskip("yaml")
    action = yaml.safe_load(ACTION.read_text())
    steps = action["runs"]["steps"]
    used = set(re.findall(r"inputs\.([a-z-]+)", json.dumps(steps)))
    assert used == set(action["inputs"])
    assert not any("${{" in step.get("run", "") for step in steps), "what a stranger names a branch must not become a command"
    variables = {name for step in steps for name in step.get("env", {})}
    scripts = "".join(step.get("run", "") for step in steps) + (ROOT / ".ci" / "action.sh").read_text()
    # One is for looplint itself.
    assert variables - {"LOOPLINT_ALLOW_RULES"} == set(re.findall(r"LOOPLINT_[A-Z_]+", scripts))
