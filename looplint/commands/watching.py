"""`--watch`: lint, and again whenever a file changes that findings may rest on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import click

from looplint.commands.summaries import WATCHED
from looplint.errors import UserError
from looplint.escaping import visible
from looplint.linting.catalogue import read_by_rules
from looplint.settings.file import NAMES
from looplint.sources.languages import is_looked_for

_WAITING = "Watching for changes; Ctrl-C ends."
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watch(paths: Sequence[str], extensions: Iterable[tuple[str, str]], rules: Sequence[str] = ()) -> NoReturn:
    """Run this command line without `--watch`, at once and after every change, until it is interrupted.

    Each run is a process of its own: nothing that one has read of files, settings or rules outlives it, and what has not changed comes from
    the cache.

    Args:
        paths: what is linted.
        extensions: the endings of other files that are, and their languages.
        rules: the folders of the user's own rules.

    Raises:
        UserError: what watches is not installed, or there is nothing to watch.
    """
    if find_spec("watchfiles") is None:
        raise UserError('--watch needs watchfiles: pip install "looplint[watch]"')
    from watchfiles import Change, DefaultFilter
    from watchfiles import watch as changes

    if "-" in paths:
        raise UserError("--watch needs files; standard input never changes")
    folders = sorted({*_folders(paths), *map(_resolved, rules), *(path.parent for path in _read_by(rules))})
    named = {Path(path).resolve() for path in paths}
    by_default = DefaultFilter()

    def counts(change: Change, name: str) -> bool:
        path = Path(name)
        if not by_default(change, name):
            return False
        return path.name in NAMES or is_looked_for(path.name, extensions) or path in named or path in _read_by(rules)

    first, run = True, _Runs()
    try:
        # It says within a moment that it watches (by no changes): one that is made during the first run is not missed.
        for found in changes(*folders, watch_filter=counts, rust_timeout=200, yield_on_timeout=True, raise_interrupt=True):
            if found or first:
                run({name for _, name in found})
            first = False
    except KeyboardInterrupt:
        sys.exit(0)
    raise UserError("the folders that were watched are gone")


def _folders(paths: Sequence[str]) -> list[Path]:
    """The folders to watch: those named and those of the files named, which is where their imports are."""
    found = []
    for path in map(Path, paths):
        if not path.exists():
            from looplint.sources.import_roots import nearest

            raise UserError(f"{path}: no such file or directory{nearest(path)}")
        found.append((path if path.is_dir() else path.parent).resolve())
    return sorted(set(found))


def _read_by(rules: Sequence[str]) -> set[Path]:
    """The files that one's own rules say they read; a mistake in them is for the run to tell."""
    with suppress(UserError):
        return set(map(_resolved, read_by_rules(rules)))
    return set()


def _resolved(path: str | Path) -> Path:
    return Path(path).resolve()


class _Runs:
    """Runs of this command line without `--watch`: what made each run necessary, and how it ended."""

    def __init__(self) -> None:
        self._findings: int | None = None

    def __call__(self, changed: Iterable[str]) -> None:
        arguments = [argument for argument in sys.argv[1:] if argument != "--watch"]
        if sys.stdout.isatty():
            click.echo(_CLEAR, nl=False, color=True)
        if names := sorted(map(os.path.relpath, changed)):
            others = f" and {len(names) - 1} more" if names[1:] else ""
            click.echo(f"{_clock()} {visible(names[0])}{others} changed", err=True)
        began = time.monotonic()
        try:
            with TemporaryDirectory(prefix="looplint-") as folder:
                found = Path(folder, "found")
                environment = {**os.environ, WATCHED: str(found)}
                status = subprocess.run([sys.executable, "-m", "looplint", *arguments], check=False, env=environment).returncode
                summary = self._summary(found.read_text(encoding="utf-8") if found.exists() else "", status)
        except KeyboardInterrupt:
            sys.exit(0)
        click.echo(f"{_clock()} {summary}, {time.monotonic() - began:.1f} s. {_WAITING}", err=True)

    def _summary(self, found: str, status: int) -> str:
        """How a run ended, and how many findings there are compared with the run before."""
        count, _, summary = found.partition(" ")
        if not count:
            return "nothing was linted" if status == 2 else "done"
        more = int(count) - (int(count) if self._findings is None else self._findings)
        self._findings = int(count)
        return f"{summary} ({abs(more)} {'more' if more > 0 else 'fewer'} than before)" if more else summary


def _clock() -> str:
    return time.strftime("[%H:%M:%S]")
