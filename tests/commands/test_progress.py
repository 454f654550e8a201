"""A long run on a terminal says how far it is; nothing of it is left, and it is seen nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint
from looplint.commands.progress import Progress
from programs import BROKEN, CLEAN

pytestmark = pytest.mark.slow

pty = pytest.importorskip("pty")
MANY = 8
# No machine is slow enough for sure to make a run long: the patience is taken from the command instead.
IMPATIENT = "import looplint.commands.progress as p; p._PATIENCE = p._PERIOD = 0; from looplint.commands.cli import main; main()"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(MANY):
        (tmp_path / f"train_{number}.py").write_text(CLEAN + "def more(loader):\n    for x in loader:\n        opt.step()\n" * 40)
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path


def on_terminal(folder: Path, *arguments: str, patient: bool = False) -> tuple[str, str]:
    """What goes to standard output, and what a terminal sees of standard error."""
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        *(("-m", "looplint") if patient else ("-c", IMPATIENT)),
        *arguments,
        "--no-cache",
        "--jobs",
        "1",
        "--output-format",
        "concise",
    ]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    assert process.stdout is not None
    out = process.stdout.read().decode()
    process.wait()
    seen = b""
    try:
        while chunk := os.read(ours, 65536):
            seen += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    return out, seen.decode()


def test_a_terminal_sees_it_come_and_go(tree: Path) -> None:
    out, seen = on_terminal(tree, ".")
    assert f" of {MANY + 1} files" in seen and seen.endswith("\r\x1b[K")
    assert out.startswith("broken.py:8:5: error: LL102") and "\r" not in out
    assert on_terminal(tree, ".", "--quiet")[1] == ""


def test_a_short_run_says_nothing(tree: Path) -> None:
    assert on_terminal(tree, "broken.py", patient=True) == (
        looplint("broken.py", "--output-format", "concise", cwd=tree).stdout.decode(),
        "",
    )


def test_no_terminal_sees_nothing(tree: Path) -> None:
    assert looplint(".", "--no-cache", cwd=tree).stderr == b""


def test_it_is_drawn_ten_times_a_second_at_most(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    now = 0.0
    monkeypatch.setattr("looplint.commands.progress.time.monotonic", lambda: now)
    shown = Progress()
    for number in range(1000):
        now += 0.002
        shown(number, 1000)
    assert 12 <= capsys.readouterr().err.count("files") <= 16
