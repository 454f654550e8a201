"""Options that several commands have, and what their values become."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from looplint.settings.configuration import Configurations


def configured(command: Any) -> Any:
    """The options of a command that say where settings come from."""
    command = rules_allowed(command)
    command = click.option("--isolated", is_flag=True, help="Read no configuration file.")(command)
    return click.option("--config", type=click.Path(), metavar="FILE", help="The one configuration file to use.")(command)


def rules_allowed(command: Any) -> Any:
    """The option of a command that says whether rules of one's own are executed."""
    return click.option("--allow-rules/--skip-rules", default=None, help="Execute your own rules, or leave them out.")(command)


def words(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """What an option names, each on its own or several with commas between."""
    return tuple(word.strip() for part in value for word in part.split(",") if word.strip())


def rule_words(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a shell completes where a rule is to be named."""
    from looplint.commands.completion import rule_items

    return rule_items(incomplete)


def settings_above(
    config: str | None, isolated: bool, options: dict[str, Any] | None = None, allow_rules: bool | None = None
) -> Configurations:
    """What finds the settings of each file, with the options of the command line above them."""
    from looplint.settings.configuration import Configurations
    from looplint.settings.file import check_value

    given = {name.replace("_", "-"): value for name, value in (options or {}).items() if value not in (None, ())}
    if "exclude" in given:
        given["extend-exclude"] = tuple((os.getcwd(), pattern) for pattern in given.pop("exclude"))
    if "target-torch" in given:
        check_value("target-torch", given["target-torch"])
    if "cache-dir" in given:
        given["cache-dir"] = os.path.abspath(given["cache-dir"])
    return Configurations(file=config, isolated=isolated, overrides=given, allow_rules=allow_rules)
