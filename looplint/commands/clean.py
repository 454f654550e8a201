"""`looplint clean`: remove what is kept between runs."""

from __future__ import annotations

from pathlib import Path

import click

HELP = (100, "Set up", "clean", "Remove the cache.")


@click.command("clean")
@click.option("--cache-dir", type=click.Path(), metavar="FOLDER", help="The cache to remove, instead of the configured one.")
def command(cache_dir: str | None) -> None:
    """Remove the cache."""
    from looplint.linting import cache
    from looplint.settings.configuration import Configurations

    here = Path.cwd()
    path = Path(cache_dir) if cache_dir else cache.place(Configurations().of_folder(here), here)
    click.echo(f"Removed {path}." if cache.clean(path) else f"There is no cache at {path}.")
