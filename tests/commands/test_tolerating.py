"""Files that cannot be read fail a run, unless that is tolerated; what else goes wrong is never tolerated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint_text
from programs import BROKEN, CLEAN

CELLS = [
    {"cell_type": "code", "execution_count": None, "id": f"c{number}", "metadata": {}, "outputs": [], "source": source}
    for number, source in enumerate([CLEAN, "loss.backward(\n___\n"])
]
UNREADABLE = {
    "torn.py": b"import torch\nloss.backward(\n",
    "bytes.py": b"import torch\nloss.backward()\n\xff\n",
    "exercise.ipynb": json.dumps({"cells": CELLS, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode(),
    "torn.ipynb": b"{",
    "deep.py": b"import torch\nloss.backward()\nx = " + b"(" * 900,
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize(("text", "status"), [(BROKEN, 1), (CLEAN, 0)], ids=["findings", "no findings"])
def test_what_cannot_be_read_is_named_and_tolerated(name: str, text: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(text)
    (tmp_path / name).write_bytes(UNREADABLE[name])
    for option in ((), ("--fix-only",), ("--diff",)):
        assert looplint_text(".", *option, cwd=tmp_path).returncode == 2
        (tmp_path / "train.py").write_text(text)
    done = looplint_text(".", "--tolerate-unreadable", cwd=tmp_path)
    assert done.returncode == status and done.stderr.startswith(f"error: {name}:")
    assert looplint_text(".", "--tolerate-unreadable", "--fix-only", cwd=tmp_path).returncode == 0


def test_folders_that_may_not_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CLEAN)
    locked = tmp_path / "locked"
    (locked / "inner").mkdir(parents=True)
    (locked / "inner" / "train.py").write_text(BROKEN)
    locked.chmod(0)
    try:
        for path, named in {
            ".": "locked",
            "locked": "locked",
            "locked/inner": "locked/inner",
            "locked/inner/train.py": "locked/inner/train.py",
        }.items():
            done = as_another_user(path, cwd=tmp_path)
            assert (done.returncode, done.stderr.splitlines()[0]) == (2, f"error: {named}: cannot be read: Permission denied"), path
        assert as_another_user(".", "--tolerate-unreadable", cwd=tmp_path).returncode == 0
        assert as_another_user(".", "--exclude", "locked", cwd=tmp_path).stderr == ""
    finally:
        locked.chmod(0o700)


def as_another_user(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A run that may not do what only an administrator may, whoever runs the tests."""
    rights = "-dac_override,-dac_read_search"
    without = ["setpriv", "--bounding-set", rights, "--inh-caps", rights] if os.geteuid() == 0 else []
    command = [*without, sys.executable, "-m", "looplint", "--no-cache", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_path_that_is_not_there_is_never_tolerated(tmp_path: Path) -> None:
    assert looplint_text("nothing.py", "--tolerate-unreadable", cwd=tmp_path).returncode == 2
