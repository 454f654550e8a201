"""`looplint debug`: what the rules see of a file."""

from __future__ import annotations

import click

from looplint.errors import UserError
from looplint.escaping import shown

HELP = (130, "Look inside", "debug FILE", "Print the roles, events and states of a file.")


@click.command("debug")
@click.argument("path", type=click.Path())
def command(path: str) -> None:
    """Print the roles, the event graph and the states of a file."""
    from looplint.linting.analysis import Unparsable, build_program
    from looplint.queries.description import describe
    from looplint.sources.reading import SourceError, read_source

    try:
        program, _ = build_program(read_source(path))
    except (SourceError, Unparsable) as error:
        raise UserError(str(error.problem)) from None
    click.echo(shown(describe(program)))
