"""The commands of looplint: where each lives, and how a command line and its help are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from looplint.errors import UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_FOLDER = os.path.dirname(__file__)
# What a file of this folder has where it is a command, and is read from it without importing it: see `Help`.
_HELP = "\nHELP = "
# The options of `looplint` itself.
_OWN = {"--help", "-h", "--version", "-V"}


class Help(NamedTuple):
    """A command's row in `looplint --help`, as its file declares it.

    Attributes:
        place: where it stands among all commands; the headings come in the order of their first commands.
        heading: the heading under which it stands.
        usage: the command with its arguments.
        words: what it does.
    """

    place: int
    heading: str
    usage: str
    words: str


class Commands(click.Group):
    """The group of all commands; `looplint PATH...` is `looplint check PATH...`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = (file.removesuffix(".py").replace("_", "-") for file in os.listdir(_FOLDER))
        return sorted(name for name in names if is_command(name))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command, imported now."""
        if not is_command(name):
            return None
        from importlib import import_module

        command = import_module(f"looplint.commands.{name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            sys.exit(2)
        if args and args[0] not in _OWN and not is_command(args[0]):
            if not ctx.resilient_parsing:
                self._see_no_command(ctx, args[0])
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def _see_no_command(self, ctx: click.Context, word: str) -> None:
        """A word that begins the command line and names no file may be meant for a command."""
        if not word.isalpha() or os.path.exists(word):
            return
        from difflib import get_close_matches

        near = get_close_matches(word.lower(), self.list_commands(ctx), 1, 0.6)
        if near:
            raise UserError(f"{word}: no such file or directory, and no such command; did you mean `looplint {near[0]}`?")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, or what stands for `check` where none is meant: its options, and files."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=_help(name).words) for name in self.list_commands(ctx) if name.startswith(incomplete)]
        check = self.get_command(ctx, "check")
        if incomplete.startswith("-") and check is not None:
            return [*super().shell_complete(ctx, incomplete), *check.shell_complete(ctx, incomplete)]
        return found or [CompletionItem(incomplete, type="file")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for row in sorted(_help(name) for name in self.list_commands(ctx)):
            groups.setdefault(row.heading, []).append((row.usage, row.words))
        _write_groups(formatter, groups)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, and nothing of the two options that every command line has."""
        self.format_commands(ctx, formatter)


class Grouped(click.Command):
    """A command whose help groups its options by the headings of a table that names all of them."""

    groups: Mapping[str, Sequence[str]] = {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {parameter.name: record for parameter in self.get_params(ctx) if (record := parameter.get_help_record(ctx))}
        _write_groups(formatter, {heading: [records[name] for name in names] for heading, names in self.groups.items()})


def is_command(name: str) -> bool:
    """Whether a file of this folder is the command of that name."""
    return name.replace("-", "").isalpha() and os.path.isfile(_file(name)) and _HELP in _source(name)


def _help(name: str) -> Help:
    """A command's row in the help."""
    from ast import literal_eval

    return Help(*literal_eval(_source(name).split(_HELP)[1].split("\n")[0]))


def _source(name: str) -> str:
    with open(_file(name), encoding="utf-8") as file:
        return file.read()


def _file(name: str) -> str:
    return os.path.join(_FOLDER, f"{name.replace('-', '_')}.py")


def _write_groups(formatter: click.HelpFormatter, groups: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Each heading with its rows: one column for all of them, and no empty lines between, so that a screen holds it."""
    width = max(len(term) for rows in groups.values() for term, _ in rows)
    formatter.write("\n")
    for heading, rows in groups.items():
        formatter.write(click.style(f"{heading}\n", bold=True))
        with formatter.indentation():
            formatter.write_dl([(term.ljust(width), words) for term, words in rows], col_max=width + 2)


def explained(error: click.ClickException) -> str:
    """A mistake in the use of an option, with what might have been meant and where that can be looked up."""
    message = error.format_message().rstrip(".")
    if isinstance(error, click.BadParameter) and error.param is not None and isinstance(error.param.type, click.Choice):
        from difflib import get_close_matches

        given = message.removeprefix("Invalid value for ").partition(": '")[2].partition("'")[0]
        near = get_close_matches(given, error.param.type.choices, 1)
        message += f"; did you mean {near[0]}?" if near else ""
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "looplint"
    return f"{message[:1].lower()}{message[1:]}\n  `{command} --help` says more"
