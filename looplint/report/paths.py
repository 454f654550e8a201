"""The names of files as services want to read them: relative to a repository, with forward slashes."""

from __future__ import annotations

import os
from pathlib import Path, PurePath


def below(filename: str, variable: str) -> str:
    """A file's name relative to the folder that an environment variable names, where it lies there; else as it is."""
    folder = os.environ.get(variable)
    if folder and not filename.startswith("<"):
        absolute, base = Path(os.path.realpath(filename)), Path(os.path.realpath(folder))
        if base in absolute.parents:
            return absolute.relative_to(base).as_posix()
    return PurePath(filename).as_posix()
