"""The project keeps to ruff's format, and to the rules of ruff that it chose in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys

import pytest

from places import ROOT


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_has_nothing_to_say(command: list[str]) -> None:
    said = subprocess.run([sys.executable, "-m", "ruff", *command, "--no-cache", "."], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
