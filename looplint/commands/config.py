"""`looplint config`: the settings in force, and what can be configured."""

from __future__ import annotations

from pathlib import Path

import click

from looplint.commands.options import configured, settings_above
from looplint.errors import UserError

HELP = (40, "Set up", "config [PATH]", "Print the effective settings and where each is set.")


@click.command("config")
@click.argument("path", type=click.Path(), default=".")
@configured
@click.option("--schema", "wanted", flag_value="schema", help="Print the JSON schema of a configuration file.")
@click.option("--reference", "wanted", flag_value="reference", help="Print what every option means, in Markdown.")
def command(path: str, config: str | None, isolated: bool, allow_rules: bool | None, wanted: str | None) -> None:
    """Print the effective settings for a file or folder, and where each is set."""
    from looplint.linting.catalogue import index
    from looplint.linting.selection import Selection
    from looplint.linting.selectors import check_words
    from looplint.settings import text

    if wanted == "schema":
        click.echo(text.schema_text(), nl=False)
        return
    if wanted == "reference":
        click.echo(text.reference(), nl=False)
        return
    place = Path(path)
    if not place.exists():
        from looplint.sources.import_roots import nearest

        raise UserError(f"{path}: no such file or directory{nearest(place)}")
    configurations = settings_above(config, isolated, allow_rules=allow_rules)
    settings = configurations.of_folder(place) if place.is_dir() else configurations.of_file(place)
    check_words(settings, index(settings.rules))
    click.echo(text.settings_text(settings, place, Selection.of(settings).codes()), nl=False)
