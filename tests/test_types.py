"""The package is typed, as `py.typed` says, and its rules are: nothing in them is wrong by the strict rules."""

from __future__ import annotations

import subprocess
import sys

import pytest

from places import ROOT

pytest.importorskip("mypy")


@pytest.mark.slow
def test_the_package_is_strictly_typed(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    known = pytestconfig.cache.mkdir("mypy")  # from run to run: only what has changed is checked again
    done = subprocess.run(
        [sys.executable, "-m", "mypy", f"--cache-dir={known}", "looplint", "rules"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
