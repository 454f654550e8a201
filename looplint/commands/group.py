"""The commands of looplint: where each lives, and how a command line and its help are read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from looplint.errors import UserError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Commands that are imported only when they are asked for: name -> (module, function).
ELSEWHERE = {
    "config": ("looplint.commands.configuration", "config_command"),
    "clean": ("looplint.commands.configuration", "clean_command"),
    "completion": ("looplint.commands.completion", "completion_command"),
    "loop": ("looplint.commands.loop", "loop_command"),
    "new-rule": ("looplint.commands.new_rule", "new_rule_command"),
    "server": ("looplint.commands.server", "server_command"),
    "verify": ("looplint.commands.verify", "verify_command"),
    "run": ("looplint.commands.run", "run_command"),
}
# What `looplint --help` says of each command, without importing it.
_HELP: dict[str, dict[str, str]] = {
    "Lint": {
        "PATH...": "Lint files and folders: `looplint check PATH...`.",
        "loop FILE": "Draw the loop as it was understood, findings in place.",
        "rule LL103": "Print the page of a rule; `rule --all` lists them.",
    },
    "Set up": {
        "config [PATH]": "Print the settings in force, and where each was said.",
        "new-rule NAME": "Start a rule of your own.",
        "server": "Speak the language server protocol; an editor starts this.",
        "completion SHELL": "Print what makes bash, zsh or fish complete.",
        "clean": "Remove what is kept between runs.",
    },
    "Measure (needs torch; executes code)": {
        "run SCRIPT": "Record what a script does, and judge the run.",
        "verify [RULE...]": "Run fixtures of rules, and measure what the rules claim.",
    },
    "Look inside": {"debug FILE": "Print roles, events and states as the rules see them."},
}


class Commands(click.Group):
    """The group of all commands; `looplint PATH...` is `looplint check PATH...`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self.commands, *ELSEWHERE})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command, imported now where it lives elsewhere."""
        if name in ELSEWHERE:
            from importlib import import_module

            module, function = ELSEWHERE[name]
            command = getattr(import_module(module), function)
            assert isinstance(command, click.Command)
            return command
        return super().get_command(ctx, name)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((a for a in args if not a.startswith("-") or a == "-"), None)
        own = {"--help", "-h", "--version", "-V"}
        known = self.list_commands(ctx)
        if args and args[0] not in known and not (set(args[:1]) & own) and first not in known:
            if not ctx.resilient_parsing:
                _see_no_command(args[0], known)
            args = ["check", *args]
        elif args and args[0].startswith("-") and args[0] not in own:
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands, or what stands for `check` where none is meant: its options, and files."""
        from click.shell_completion import CompletionItem

        found = [CompletionItem(name, help=_short(name)) for name in self.list_commands(ctx) if name.startswith(incomplete)]
        if incomplete.startswith("-"):
            return [*super().shell_complete(ctx, incomplete), *self.commands["check"].shell_complete(ctx, incomplete)]
        return found or [CompletionItem(incomplete, type="file")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        _write_groups(formatter, {heading: list(rows.items()) for heading, rows in _HELP.items()})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, and nothing of the two options that every command line has."""
        self.format_commands(ctx, formatter)


class Grouped(click.Command):
    """A command whose help groups its options by the headings of a table that names all of them."""

    groups: Mapping[str, Sequence[str]] = {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {parameter.name: record for parameter in self.get_params(ctx) if (record := parameter.get_help_record(ctx))}
        _write_groups(formatter, {heading: [records[name] for name in names] for heading, names in self.groups.items()})


def rule_words(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a shell completes where a rule is to be named."""
    from looplint.commands.completion import rule_items

    return rule_items(incomplete)


def _short(name: str) -> str:
    """What the help says of a command."""
    return next((words for rows in _HELP.values() for usage, words in rows.items() if usage.split()[0] == name), "Lint files and folders.")


def _write_groups(formatter: click.HelpFormatter, groups: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Each heading with its rows: one column for all of them, and no empty lines between, so that a screen holds it."""
    width = max(len(term) for rows in groups.values() for term, _ in rows)
    formatter.write("\n")
    for heading, rows in groups.items():
        formatter.write(click.style(f"{heading}\n", bold=True))
        with formatter.indentation():
            formatter.write_dl([(term.ljust(width), words) for term, words in rows], col_max=width + 2)


def _see_no_command(word: str, known: Sequence[str]) -> None:
    """A word that begins the command line and names no file may be meant for a command."""
    if not word.isalpha() or os.path.exists(word):
        return
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), known, 1, 0.6)
    if near:
        raise UserError(f"{word}: no such file or directory, and no such command; did you mean `looplint {near[0]}`?")


def said(error: click.ClickException) -> str:
    """A mistake in the use of an option, with what might have been meant and where that can be looked up."""
    message = error.format_message().rstrip(".")
    if isinstance(error, click.BadParameter) and error.param is not None and isinstance(error.param.type, click.Choice):
        from difflib import get_close_matches

        given = message.removeprefix("Invalid value for ").partition(": '")[2].partition("'")[0]
        near = get_close_matches(given, error.param.type.choices, 1)
        message += f"; did you mean {near[0]}?" if near else ""
    command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "looplint"
    return f"{message[:1].lower()}{message[1:]}\n  `{command} --help` says more"
