"""`looplint trust`: the folders whose own rules are executed, and to which configurations may lead."""

from __future__ import annotations

from pathlib import Path

import click

HELP = (70, "Set up", "trust [FOLDER]", "Let the rules of a folder be executed from now on.")


@click.command("trust")
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--remove", is_flag=True, help="Trust the folder no longer.")
@click.option("--list", "listed", is_flag=True, help="List the trusted folders.")
def command(folder: Path, remove: bool, listed: bool) -> None:
    """Trust a folder: rules of your own in it and below are executed when files are linted, without --allow-rules.

    Trust only folders whose code you would run yourself. What changes in them later is trusted too.
    """
    from looplint.settings import trust

    if listed:
        click.echo("".join(f"{each}\n" for each in trust.trusted_folders()), nl=False)
        return
    shown = folder.resolve()
    if remove:
        click.echo(f"{shown} is no longer trusted." if trust.distrust(folder) else f"{shown} was not trusted.")
    else:
        click.echo(f"{shown} is trusted from now on." if trust.trust(folder) else f"{shown} is trusted already.")
