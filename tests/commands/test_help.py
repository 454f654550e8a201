"""What `--help` prints: everything there is, on one screen."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from command_line import looplint
from looplint.commands.check import Check
from looplint.commands.check import command as check
from looplint.commands.cli import cli
from looplint.errors import UserError

# A terminal of a laptop that was not resized is 80 columns wide; the many options of `check` fill a window that was.
WIDTH = 80


@pytest.mark.parametrize(("arguments", "height"), [((), 30), (("check",), 60)], ids=["all commands", "check"])
def test_it_fits_a_screen(arguments: tuple[str, ...], height: int, tmp_path: Path) -> None:
    lines = looplint(*arguments, "--help", cwd=tmp_path).stdout.decode().splitlines()
    assert len(lines) <= height and max(map(len, lines)) < WIDTH


def test_nothing_at_all_gives_the_same_help(tmp_path: Path) -> None:
    done = looplint(cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == looplint("--help", cwd=tmp_path).stdout


def test_every_option_stands_under_one_heading() -> None:
    named = [name for names in Check.groups.values() for name in names]
    options = [p.name for p in check.params if isinstance(p, click.Option) and not p.hidden]
    assert sorted(named) == sorted(options)


def test_every_command_is_listed(tmp_path: Path) -> None:
    out = looplint("--help", cwd=tmp_path).stdout.decode()
    for name in cli.list_commands(click.Context(cli)):
        assert name == "check" or f"\n  {name} " in out, name


@pytest.mark.parametrize(
    ("arguments", "asked", "needed"),
    [
        (["run", "train.py"], "looplint.runtime.harness.devices.find_spec", 'pip install "looplint[runtime]"'),
        (["verify", "LL101"], "looplint.runtime.harness.devices.find_spec", 'pip install "looplint[runtime]"'),
        (["check", "--watch", "."], "looplint.commands.watching.find_spec", 'pip install "looplint[watch]"'),
        (["survey", ".", "-o", "out"], "looplint.commands.survey.find_spec", 'pip install "looplint[survey]"'),
    ],
    ids=["run", "verify", "watch", "survey"],
)
def test_what_is_not_installed_is_said(arguments: list[str], asked: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked, lambda name: None)
    with pytest.raises(UserError, match=re.escape(needed)):
        cli.main(arguments, standalone_mode=False)
