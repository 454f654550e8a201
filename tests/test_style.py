"""The project keeps to ruff's format, and to the rules of ruff that it chose in pyproject.toml."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from places import ROOT


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_ruff_has_nothing_to_say(command: list[str]) -> None:
    said = subprocess.run([sys.executable, "-m", "ruff", *command, "--no-cache", "."], cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize("path", sorted([*(ROOT / "looplint").rglob("*.py"), *(ROOT / "rules").glob("*.py")]), ids=lambda path: path.stem)
def test_no_name_of_a_module_is_given_a_second_meaning(path: Path) -> None:
    """What stands above would get the value of the second one; ruff tells this of functions and classes alone."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    targets = [target for stmt in body if isinstance(stmt, ast.Assign) for target in stmt.targets]
    names = Counter(target.id for target in targets if isinstance(target, ast.Name))
    assert [name for name, times in names.items() if times > 1] == []
