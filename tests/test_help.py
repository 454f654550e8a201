"""What `--help` prints: everything there is, on one screen."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from test_cli import looplint

from looplint.cli import Check, check, cli

# A terminal of a laptop that was not resized.
WIDTH, HEIGHT = 80, 50


@pytest.mark.parametrize("arguments", [(), ("check",)], ids=["all commands", "check"])
def test_it_fits_a_screen(arguments: tuple[str, ...], tmp_path: Path) -> None:
    lines = looplint(*arguments, "--help", cwd=tmp_path).stdout.decode().splitlines()
    assert len(lines) <= HEIGHT and max(map(len, lines)) < WIDTH


def test_every_option_stands_under_one_heading() -> None:
    named = [name for names in Check.groups.values() for name in names]
    options = [p.name for p in check.params if isinstance(p, click.Option) and not p.hidden]
    assert sorted(named) == sorted(options)


def test_every_command_is_listed(tmp_path: Path) -> None:
    out = looplint("--help", cwd=tmp_path).stdout.decode()
    for name in cli.list_commands(click.Context(cli)):
        assert name == "check" or f"\n  {name} " in out, name

