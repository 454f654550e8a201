"""How far a long run has come: a line on standard error that goes away, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

_PATIENCE = 0.5
_PERIOD = 0.1


class Progress:
    """Counts files, once a run has lasted longer than one notices."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._drawn = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if total > 1 and now - self._began > _PATIENCE and now - self._drawn > _PERIOD:
            self._drawn = now
            click.echo(f"\r\x1b[K{done} of {total} files", nl=False, err=True, color=True)

    def clear(self) -> None:
        """Leave the terminal as it was."""
        if self._drawn:
            click.echo("\r\x1b[K", nl=False, err=True, color=True)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress | None]:
    """What a run reports to, or None where there is no terminal; the line is removed however the run ends."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    shown = Progress()
    try:
        yield shown
    finally:
        shown.clear()
