"""At a terminal the messages of the report are wrapped to its width; what a file or a program gets is the same everywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import looplint_text
from looplint.linting.files import LintResult, lint_paths
from looplint.report import render
from places import ROOT

EXAMPLE = ROOT / "examples/train.py"


@pytest.fixture(scope="module")
def result() -> LintResult:
    return lint_paths([str(EXAMPLE)])


def without_colours(text: str) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", text)


@pytest.mark.parametrize("width", [45, 70, 100])
@pytest.mark.parametrize("colour", [False, True])
def test_messages_are_wrapped_and_nothing_else_is(result: LintResult, width: int, colour: bool) -> None:
    whole = render("text", result, colour=colour)
    text = render("text", result, colour=colour, width=width)
    assert without_colours(text) == render("text", result, width=width) or colour is False
    assert without_colours(text).split() == without_colours(whole).split()
    kept = [line for line in without_colours(whole).splitlines() if " | " in line or re.search(r":\d+:\d+: \w+: LL", line)]
    lines = without_colours(text).splitlines()
    assert [line for line in lines if line in kept] == kept
    assert all(len(line) <= width for line in lines if line not in kept) and len(lines) > len(whole.splitlines())


def test_a_terminal_without_room_gets_lines_that_can_be_read(result: LintResult) -> None:
    assert render("text", result, width=3) == render("text", result, width=40)


def test_continued_lines_stand_under_the_text(result: LintResult) -> None:
    text = render("text", result, width=60)
    assert "\n  the clip runs before backward(): there are no gradients\n  yet, and optimizer steps" in text
    assert "   = repair (safe): Move the clip to just before the step of\n     optimizer\n" in text


@pytest.mark.parametrize("name", ["concise", "github", "json"])
def test_other_formats_know_no_width(result: LintResult, name: str) -> None:
    assert render(name, result, width=40) == render(name, result)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_the_width_is_that_of_the_terminal(tmp_path: Path) -> None:
    import fcntl
    import struct
    import termios

    (tmp_path / "train.py").write_bytes(EXAMPLE.read_bytes())
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "FORCE_COLOR")} | {"NO_COLOR": "1"}
    command = [sys.executable, "-m", "looplint", "check", "--isolated", "--no-cache", "-j", "1", "train.py"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stdin=subprocess.DEVNULL, env=environment) as process:
        os.close(theirs)
        shown = bytearray()
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # Linux' way to say that nobody writes any more
                break
            if not part:
                break
            shown += part
    os.close(ours)
    assert process.returncode == 1
    assert "\n  the clip runs before backward(): there are no gradients\n" in shown.decode().replace("\r\n", "\n")
    assert "there are no gradients yet, and" in looplint_text("--isolated", "--no-cache", "train.py", cwd=tmp_path).stdout
