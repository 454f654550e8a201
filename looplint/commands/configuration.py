"""`looplint config` and `looplint clean`: what is in force, what can be configured, and what is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from looplint.errors import UserError


def configured(command: Any) -> Any:
    """The options of a command that say where settings come from."""
    command = click.option("--isolated", is_flag=True, help="Read no configuration file.")(command)
    return click.option("--config", type=click.Path(), metavar="FILE", help="The one configuration file to use.")(command)


@click.command()
@click.argument("path", type=click.Path(), default=".")
@configured
@click.option("--schema", "wanted", flag_value="schema", help="Print the JSON schema of a configuration file.")
@click.option("--reference", "wanted", flag_value="reference", help="Print what every option means, in Markdown.")
def config_command(path: str, config: str | None, isolated: bool, wanted: str | None) -> None:
    """Print the settings in force for a file or folder, and where each was said."""
    from looplint.linting.catalogue import index
    from looplint.linting.selection import Selection
    from looplint.linting.selectors import check_words
    from looplint.settings import text
    from looplint.settings.configuration import Configurations

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
    configurations = Configurations(file=config, isolated=isolated)
    settings = configurations.of_folder(place) if place.is_dir() else configurations.of_file(place)
    check_words(settings, index(settings.rules))
    click.echo(text.settings_text(settings, place, Selection.of(settings).codes()), nl=False)


@click.command()
@click.option("--cache-dir", type=click.Path(), metavar="FOLDER", help="The cache to remove, where it is not the one in force here.")
def clean_command(cache_dir: str | None) -> None:
    """Remove what is kept between runs."""
    from looplint.linting import cache
    from looplint.settings.configuration import Configurations

    here = Path.cwd()
    path = Path(cache_dir) if cache_dir else cache.place(Configurations().of_folder(here), here)
    click.echo(f"Removed {path}." if cache.clean(path) else f"There is no cache at {path}.")
