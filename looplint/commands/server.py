"""`looplint server`: the language server."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import click

from looplint.errors import UserError

HELP = (80, "Set up", "server", "Run the language server (an editor starts it).")


@click.command("server")
@click.option("--stdio", is_flag=True, help="Use standard input and output, as it always does.")
def command(stdio: bool) -> None:
    """Run the language server over standard input and output. An editor starts it."""
    if find_spec("pygls") is None:
        raise UserError('the language server needs pygls: pip install "looplint[server]"')
    from looplint.server.app import create

    # What a rule prints must not get between the messages of the protocol.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    create().start_io(sys.stdin.buffer, out)
