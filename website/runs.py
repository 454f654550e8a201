"""Running looplint while the site is built, so that what the pages show is what it prints."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from click.testing import CliRunner

from looplint.commands.cli import cli
from looplint.sources import import_roots

ROOT = Path(__file__).parent.parent


def printed(arguments: Sequence[str], folder: Path = ROOT) -> str:
    """What a command prints on standard output in a folder.

    Raises:
        RuntimeError: it failed by an error of its own.
    """
    import_roots.forget()
    with _inside(folder):
        done = CliRunner().invoke(cli, arguments, prog_name="looplint", env={"NO_COLOR": "1"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise RuntimeError(f"looplint {' '.join(arguments)}: {done.exception}") from done.exception
    if done.exit_code == 2:
        raise RuntimeError(f"looplint {' '.join(arguments)}: {done.stderr}")
    return done.stdout


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def written(text: str, name: str = "train.py") -> Iterator[Path]:
    """A folder with one file in it, outside of every project."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_text(text, encoding="utf-8")
        yield Path(os.path.realpath(folder))


def fence(text: str, language: str = "text", indent: str = "") -> str:
    """A block of Markdown in which a text stands as it is."""
    mark = "````" if "```" in text else "```"
    return "".join(f"{indent}{line}\n" if line else "\n" for line in [f"{mark}{language}", *text.rstrip("\n").split("\n"), mark])
