"""What a shell completes: a real bash asks, the others through the protocol of their scripts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint
from looplint.linting.catalogue import index
from places import ROOT

pytestmark = pytest.mark.slow

# Sources what the command prints, completes a command line as the key would, and prints what bash would offer.
ASK = """
eval "$(looplint completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
compopt() { echo "files by bash"; }
_looplint_completion looplint
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    command = tmp_path / "bin" / "looplint"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m looplint "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        (["c"], {"check", "clean", "completion", "config"}),
        (["examples/tr"], {"files by bash"}),
        (["check", "examples/tr"], {"files by bash"}),
        (["--select", "LL10"], {rule.code for rule in index() if rule.code.startswith("LL10")}),
        (["check", "train.py", "--ignore", "LL102,zero"], {f"LL102,{rule.name}" for rule in index() if rule.name.startswith("zero")}),
        (["rule", "missing-zero-g"], {"missing-zero-grad"}),
        (["train.py", "--fi"], {"--fix", "--fix-only"}),
        (["check", "--output-format", "j"], {"json", "json-lines", "junit"}),
        (["completion", ""], {"bash", "zsh", "fish"}),
        (["chek", "--fi"], {"--fix", "--fix-only"}),
    ],
    ids=lambda words: " ".join(sorted(words)),
)
def test_bash_offers(line: list[str], offered: set[str], tmp_path: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(["bash", "-c", ASK, "bash", "looplint", *line], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (set(done.stdout.split("\n")) - {""}, done.stderr) == (offered, "")


@pytest.mark.parametrize(
    ("shell", "registers", "words", "last"),
    [
        ("zsh", "compdef _looplint_completion looplint", "looplint rule LL102", "2"),
        ("fish", "complete --no-files --command looplint", "looplint rule ", "LL102"),
    ],
    ids=["zsh", "fish"],
)
def test_the_scripts_of_other_shells_and_what_they_are_told(
    shell: str, registers: str, words: str, last: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    here = {**environment, "SHELL": f"/usr/bin/{shell}"}
    assert registers in subprocess.run(["looplint", "completion"], env=here, capture_output=True, text=True, check=True).stdout
    asked = {**environment, "_LOOPLINT_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": last}
    said = subprocess.run(["looplint"], env=asked, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "LL102" in said and "missing-zero-grad" in said, "the name explains the code"


def test_rules_of_ones_own_are_offered_and_a_wrong_configuration_is_no_accident(tmp_path: Path, environment: dict[str, str]) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "own_rule.py").write_text('"""Own."""\nCODE = "XY1"\n')
    (tmp_path / "looplint.toml").write_text('rules = ["rules"]\n')
    asked = {**environment, "_LOOPLINT_COMPLETE": "bash_complete", "COMP_WORDS": "looplint rule XY", "COMP_CWORD": "2"}
    assert subprocess.run(["looplint"], env=asked, cwd=tmp_path, capture_output=True, text=True).stdout == "plain,XY1\n"
    (tmp_path / "looplint.toml").write_text("rules = 1\n")
    done = subprocess.run(["looplint"], env=asked, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == done.stderr == ""


def test_an_unknown_shell_is_said(tmp_path: Path) -> None:
    done = looplint("completion", "bsh", cwd=tmp_path)
    assert done.returncode == 2 and b"did you mean bash?" in done.stderr
