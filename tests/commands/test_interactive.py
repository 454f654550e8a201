"""`--interactive`: a user at a terminal is asked for each repair."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint_text as looplint
from places import EXAMPLES

pytestmark = pytest.mark.slow

EXAMPLE = (EXAMPLES / "train.py").read_text(encoding="utf-8")
CLEAR = "optimizer.zero_grad()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLES / "train.py", tmp_path / "train.py")
    return tmp_path


def answered(folder: Path, answers: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run at whose terminal somebody types."""
    master, slave = pty.openpty()
    try:
        os.write(master, answers.encode())
        command = [sys.executable, "-m", "looplint", "train.py", *arguments]
        return subprocess.run(command, stdin=slave, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    finally:
        os.close(slave)
        os.close(master)


def test_what_is_answered_yes_is_repaired_and_nothing_else(folder: Path) -> None:
    done = answered(folder, "n\nyes\nn\nN\nn\n", "--fix", "--interactive", "--output-format", "concise")
    text = (folder / "train.py").read_text()
    assert CLEAR in text and text.index("clip_grad_norm_(model") < text.index("loss.backward()")
    assert "Repaired 1 problem in 1 file." in done.stderr
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["LL103", "LL401", "LL302", "LL303"]
    assert done.stderr.count("Make it? [y]es, [n]o, [d]iff, [a]ll, [q]uit") == 5
    assert "train.py:30:9: LL103 clip-before-backward\n" in done.stderr and "repair (safe): Move the clip" in done.stderr


def test_a_diff_is_shown_and_the_question_asked_again(folder: Path) -> None:
    done = answered(folder, "d\n\nwhat\nq\n", "--interactive", "--color", "never")
    assert (
        "\n+        loss.backward()\n         clip_grad_norm_(model.parameters(), max_norm=1.0)\n-        loss.backward()\n" in done.stderr
    )
    assert done.stderr.count("y: make it; n: leave it") == 1
    assert done.returncode == 1 and (folder / "train.py").read_text() == EXAMPLE
    assert "\x1b[32m+ " in answered(folder, "d\nq\n", "--interactive", "--color", "always").stderr


def test_quit_keeps_what_was_made_before(folder: Path) -> None:
    answered(folder, "n\ny\nq\n", "--interactive")
    text = (folder / "train.py").read_text()
    assert CLEAR in text and "append(loss)" in text


def test_all_makes_the_rest_but_not_what_was_left(folder: Path) -> None:
    done = answered(folder, "n\na\n", "--interactive", "--output-format", "concise")
    assert "Repaired 4 problems in 1 file." in done.stderr
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["LL103"]


def test_each_of_two_places_with_one_text_is_asked_for(folder: Path) -> None:
    (folder / "train.py").write_text(EXAMPLE.replace("        history.append(loss)\n", "        history.append(loss)\n" * 2))
    done = answered(folder, "n\ny\n", "--interactive", "--select", "LL401")
    assert done.stderr.count("Make it?") == 2
    lines = [line.strip() for line in (folder / "train.py").read_text().splitlines() if "append" in line]
    assert lines == ["history.append(loss)", "history.append(loss.item())"]


def test_an_end_of_what_is_typed_writes_nothing(folder: Path) -> None:
    done = answered(folder, "n\ny\n\x04", "--interactive")
    assert done.returncode == 130 and done.stderr.endswith("interrupted\n")
    assert (folder / "train.py").read_text() == EXAMPLE


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train.py", "--interactive"], "--interactive asks at a terminal, and standard input is none"),
        (["-", "--fix", "--interactive"], "--interactive needs standard input for the answers"),
        (["train.py", "--interactive", "--diff"], "use it without --diff"),
        (["train.py", "--interactive", "--watch"], "use it without --diff, --add-noqa and --watch"),
    ],
)
def test_where_nobody_can_be_asked_it_says_so(folder: Path, arguments: list[str], said: str) -> None:
    done = looplint(*arguments, cwd=folder, stdin=EXAMPLE)
    assert done.returncode == 2 and said in done.stderr
    assert (folder / "train.py").read_text() == EXAMPLE
