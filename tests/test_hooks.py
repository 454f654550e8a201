"""The hooks for pre-commit, run by pre-commit itself in a repository of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import git
from places import ROOT
from programs import BROKEN, CLEAN

pytestmark = pytest.mark.slow

nbformat: Any = pytest.importorskip("nbformat")
yaml: Any = pytest.importorskip("yaml")
pytest.importorskip("pre_commit")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Files to lint and to leave alone, all staged, and the project's hooks on top of the looplint that is here."""
    folder = tmp_path / "repository"
    (folder / "generated").mkdir(parents=True)
    files = {
        "broken.py": BROKEN,
        "clean.py": CLEAN,
        "generated/broken.py": BROKEN,
        "notes.txt": BROKEN,
        "readme.md": f"```python\n{BROKEN}```\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "looplint.toml").write_text('extend-exclude = ["generated"]\n')
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(BROKEN, id="a")]), folder / "book.ipynb")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    # What pre-commit would install from the repository is here already.
    local = [{**hook, "language": "system", "entry": f"{sys.executable} -m {hook['entry']}"} for hook in hooks]
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": local}]}))
    git(folder, "init", "-b", "main")
    git(folder, "add", ".")
    return folder


def run(folder: Path, hook: str) -> tuple[int, str]:
    environment = {**os.environ, "PRE_COMMIT_HOME": str(folder.parent / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-m", "pre_commit", "run", hook], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_the_linting_hook_reads_scripts_and_notebooks_and_changes_nothing(repository: Path) -> None:
    status, printed = run(repository, "looplint")
    assert status == 1 and "- exit code: 1" in printed and "files were modified" not in printed
    assert "broken.py:8:5: error: LL102" in printed and "book.ipynb:cell 1:8:5: error: LL102" in printed
    assert "Found 2 errors in 2 files (3 files checked)" in printed, "neither what is excluded nor what is no program"


def test_the_repairing_hook_repairs_once_and_then_passes(repository: Path) -> None:
    before = nbformat.read(repository / "book.ipynb", 4)
    status, printed = run(repository, "looplint-fix")
    assert status == 1 and "- files were modified by this hook" in printed and "Repaired 2 problems in 2 files." in printed
    assert (repository / "broken.py").read_text() == CLEAN and (repository / "generated" / "broken.py").read_text() == BROKEN
    after = nbformat.read(repository / "book.ipynb", 4)
    nbformat.validate(after)
    assert after.cells[0].source == CLEAN and {**after, "cells": []} == {**before, "cells": []}
    git(repository, "add", ".")
    for hook in ("looplint-fix", "looplint"):
        status, printed = run(repository, hook)
        assert status == 0 and "Passed" in printed, printed
