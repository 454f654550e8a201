"""`looplint debug`: what the rules see of a file."""

from __future__ import annotations

import click

from looplint.errors import UserError

HELP = ("Look inside", "debug FILE", "Print roles, events and states as the rules see them.")


@click.command("debug")
@click.argument("path", type=click.Path())
def command(path: str) -> None:
    """Print the roles, the graph of events and the states looplint sees in a file."""
    from looplint.linting.analysis import Unparsable, build_program
    from looplint.queries.description import describe
    from looplint.sources.reading import SourceError, read_source

    try:
        program, _ = build_program(read_source(path))
    except (SourceError, Unparsable) as error:
        raise UserError(str(error.problem)) from None
    click.echo(describe(program))
