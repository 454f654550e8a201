"""What standard output is, and what may be written to it."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TextIO

from looplint.escaping import visible

if TYPE_CHECKING:
    from looplint.finding import Problem


# What --color says: "always", "never", or "auto".
_wanted = "auto"


def want_colour(when: str) -> None:
    """Let `coloured` say what the command line says."""
    global _wanted
    _wanted = when


def coloured(stream: TextIO | None = None) -> bool:
    """Whether colours are wanted on a stream, standard output by default: by the command line, by the environment (https://no-color.org, https://force-color.org), or as it is a terminal."""
    if _wanted != "auto":
        return _wanted == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb" and os.environ.get("CLICOLOR") != "0"


def columns() -> int | None:
    """How wide standard output is, where it is a terminal."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def prepare() -> None:
    """Let the standard streams take any text: bytes of names that are no UTF-8 are written as they are, what an encoding lacks as an escape."""
    codecs.register_error("looplint", _written)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="looplint")


def _written(error: UnicodeError) -> tuple[bytes | str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    halves = all(0xDC80 <= ord(char) < 0xDD00 for char in error.object[error.start : error.end])
    return (codecs.lookup_error("surrogateescape") if halves else codecs.lookup_error("backslashreplace"))(error)


def shown_diff(text: str, *, colour: bool) -> str:
    """A unified diff as a terminal can show it."""
    import click

    styles: dict[str, dict[str, Any]] = {
        "+++": {"bold": True},
        "---": {"bold": True},
        "@@": {"fg": "cyan"},
        "+": {"fg": "green"},
        "-": {"fg": "red"},
    }

    def styled(line: str) -> str:
        style = next((style for start, style in styles.items() if colour and line.startswith(start)), {})
        return click.style(visible(line), **style) if style else visible(line)

    return "\n".join(map(styled, text.split("\n")))


def complain(problem: Problem) -> None:
    """Say on standard error what could not be linted or written."""
    import click

    click.echo(f"error: {visible(str(problem))}", err=True)
