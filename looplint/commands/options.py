"""Options that several commands have, and what their values become."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from looplint.commands.terminal import want_colour

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from looplint.settings.configuration import Configurations


_INLINE = "looplint.inline"


def configured(command: Any) -> Any:
    """The options of a command that say where settings come from."""
    command = rules_allowed(command)
    command = click.option("--isolated", is_flag=True, help="Read no configuration file.")(command)
    return click.option(
        "--config",
        type=click.Path(),
        multiple=True,
        callback=_config,
        metavar="FILE",
        help="The configuration file to use, or 'KEY = VALUE'.",
    )(command)


def colour_option(command: Any) -> Any:
    """The option of a command that says whether it prints colours."""

    def take(_: click.Context, __: click.Parameter, value: str) -> None:
        want_colour(value)

    choice = click.Choice(["auto", "always", "never"])
    return click.option(
        "--color", type=choice, default="auto", callback=take, expose_value=False, metavar="WHEN", help="Colours: auto, always, or never."
    )(command)


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


def _config(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> str | None:
    """The one file that is named; what is no file but sets a key is kept for `settings_above`."""
    files = [word for word in value if "=" not in word or os.path.exists(word)]
    if len(files) > 1:
        raise click.BadParameter(f"one file at most, not {' and '.join(files)}")
    ctx.meta[_INLINE] = [word for word in value if word not in files]
    return files[0] if files else None


def settings_above(
    config: str | None, isolated: bool, options: dict[str, Any] | None = None, allow_rules: bool | None = None
) -> Configurations:
    """What finds the settings of each file, with the options of the command line above them."""
    from looplint.settings.configuration import Configurations

    return Configurations(file=config, isolated=isolated, overrides=given_settings(options), allow_rules=allow_rules)


def given_settings(options: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the command line says of settings, by their names: its options, and the keys that `--config` sets.

    Raises:
        UserError: a value is wrong.
    """
    from looplint.settings.file import check_value, inline

    ctx = click.get_current_context(silent=True)
    written = inline(ctx.meta.get(_INLINE, [])) if ctx is not None else {}
    given = {name.replace("_", "-"): value for name, value in (options or {}).items() if value not in (None, ())}
    if "exclude" in given:
        given["extend-exclude"] = tuple((os.getcwd(), pattern) for pattern in given.pop("exclude"))
    if "target-torch" in given:
        check_value("target-torch", given["target-torch"])
    if "cache-dir" in given:
        given["cache-dir"] = os.path.abspath(given["cache-dir"])
    return {**written, **given}
