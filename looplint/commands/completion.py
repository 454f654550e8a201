"""`looplint completion`: what a shell completes, that is commands, options, files, and the codes and names of rules."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from looplint.errors import UserError

HELP = (90, "Set up", "completion SHELL", "Print the completion script for bash, zsh or fish.")

SHELLS = ("bash", "zsh", "fish")


def rule_items(incomplete: str) -> list[CompletionItem]:
    """The rules a word may become. After a comma another one begins; codes come first, names where the word is no code."""
    from looplint.linting.catalogue import index
    from looplint.settings.configuration import Configurations

    before, comma, word = incomplete.rpartition(",")
    try:
        rules = index(Configurations().of_folder(Path.cwd()).rules)
    except UserError:  # a shell is no place to say what is wrong with a configuration
        rules = index()
    codes = [(rule.code, rule.name) for rule in rules if rule.code.startswith(word.upper())]
    names = [(rule.name, rule.code) for rule in rules if rule.name.startswith(word.lower())] if word else []
    return [CompletionItem(f"{before}{comma}{each}", help=other) for each, other in [*codes, *names]]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
def command(shell: str | None) -> None:
    """Print a shell's completion script, for commands, options, files and rules.

    Without an argument, for the current shell. To load it in every session:

    \b
    bash   echo 'eval "$(looplint completion bash)"' >> ~/.bashrc
    zsh    echo 'eval "$(looplint completion zsh)"' >> ~/.zshrc
    fish   looplint completion fish > ~/.config/fish/completions/looplint.fish
    """
    shell = shell or os.path.basename(os.environ.get("SHELL", ""))
    if shell not in SHELLS:
        raise UserError(f"name the shell: looplint completion {'|'.join(SHELLS)}")
    made = get_completion_class(shell)
    command = click.get_current_context().find_root().command
    assert made is not None
    click.echo(made(command, {}, "looplint", "_LOOPLINT_COMPLETE").source())
