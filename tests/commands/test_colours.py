"""When there are colours: as the command line says, then as the environment says, then on a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import looplint_text
from programs import BROKEN, CLEAN

COLOUR = "\x1b["


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(BROKEN)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"CLICOLOR_FORCE": "1"}, True),
        ((), {"FORCE_COLOR": "0"}, False),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
@pytest.mark.parametrize("command", [(), ("--output-format", "concise"), ("--diff",)], ids=["text", "concise", "diff"])
def test_who_decides(
    command: tuple[str, ...], arguments: tuple[str, ...], environment: dict[str, str], coloured: bool, folder: Path
) -> None:
    done = looplint_text("train.py", *command, *arguments, cwd=folder, environment=environment)
    assert (COLOUR in done.stdout) == coloured
    plain = looplint_text("train.py", *command, cwd=folder).stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", done.stdout) == plain


def test_other_formats_and_files_stay_plain(folder: Path) -> None:
    assert COLOUR not in looplint_text("train.py", "--color", "always", "--output-format", "json", cwd=folder).stdout
    looplint_text("train.py", "--color", "always", "--output-file", "out", cwd=folder)
    assert COLOUR not in (folder / "out").read_text()
    assert COLOUR in looplint_text("loop", "train.py", "--color", "always", cwd=folder).stdout


def test_where_there_is_nothing_to_lint_it_is_said(tmp_path: Path) -> None:
    done = looplint_text(".", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr.startswith("warning: there is no Python file")
    assert looplint_text(".", "--quiet", cwd=tmp_path).stderr == ""
    (tmp_path / "a.py").write_text("print(1)\n")
    assert looplint_text(".", cwd=tmp_path).stderr == ""


def test_repairs_can_fail_a_run(folder: Path) -> None:
    assert looplint_text("train.py", "--fix", "--exit-non-zero-on-fix", cwd=folder).returncode == 1
    assert (folder / "train.py").read_text() == CLEAN
    assert looplint_text("train.py", "--fix", "--exit-non-zero-on-fix", cwd=folder).returncode == 0


def test_options_are_set_on_the_command_line(folder: Path) -> None:
    (folder / "looplint.toml").write_text('ignore = ["LL102"]\nmin-severity = "error"\n')
    assert looplint_text("train.py", cwd=folder).returncode == 0
    assert looplint_text("train.py", "--config", 'ignore = ["LL2"]', cwd=folder).returncode == 0, "lists of rules to ignore are added"
    assert looplint_text("train.py", "--isolated", "--config", 'ignore = ["LL2"]', cwd=folder).returncode == 1
    shown = looplint_text("config", "--config", "severity.LL102 = 'warning'", "--config", 'output-format = "json"', cwd=folder).stdout
    assert re.search(r'^output-format +=.*"json".*# the command line$', shown, re.MULTILINE)
    for wrong, said in {
        "ignor = []": "unknown option `ignor`",
        "ignore = 3": "has to be a list",
        "ignore = [": "is not valid TOML",
    }.items():
        done = looplint_text("train.py", "--config", wrong, cwd=folder)
        assert done.returncode == 2 and said in done.stderr and "--config" in done.stderr


def test_a_baseline_of_the_configuration(folder: Path) -> None:
    (folder / "looplint.toml").write_text('baseline = "known.json"\n')
    assert "cannot be read" in looplint_text("train.py", cwd=folder).stderr
    looplint_text("train.py", "--write-baseline", "known.json", cwd=folder)
    assert looplint_text("train.py", cwd=folder).returncode == 0
    assert looplint_text("train.py", "--isolated", cwd=folder).returncode == 1
