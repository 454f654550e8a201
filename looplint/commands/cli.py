"""The command line: the group of all commands, and how a run of one ends."""

from __future__ import annotations

import gc
import os
import sys

import click

from looplint import __version__
from looplint.commands.group import Commands, explained
from looplint.commands.terminal import prepare
from looplint.errors import UserError
from looplint.escaping import shown
from looplint.frames import with_room


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "-V", "--version", message="looplint %(version)s")
def cli() -> None:
    """Find and repair bugs in PyTorch training loops.

    `looplint COMMAND --help` lists the options of a command, `looplint check --help` those for linting.
    """


def main() -> None:
    """The entry point: a user's mistake is one line and exit code 2."""
    # Imports and syntax trees are many objects that stay: looking through them for garbage again and again is a tenth of a short run.
    gc.set_threshold(200_000)
    prepare()
    try:
        with_room(cli.main, prog_name="looplint", standalone_mode=False)
    except click.ClickException as error:
        click.echo(f"error: {shown(explained(error))}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except UserError as error:
        click.echo(f"error: {shown(str(error))}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:  # looplint's own bug, reported in one line
        if os.environ.get("LOOPLINT_TRACEBACK"):
            raise
        click.echo(f"internal error ({type(error).__name__}: {error}); please report it with what LOOPLINT_TRACEBACK=1 prints", err=True)
        sys.exit(2)
    finally:
        # The process ends: the interpreter's last search for garbage need not look at what is there.
        gc.freeze()
