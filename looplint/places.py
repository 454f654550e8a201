"""Where modules of a project can lie: questions to the file system that decide what a file's imports lead to."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_PARENTS = 6
_ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")


@lru_cache(maxsize=16384)
def is_file(path: Path) -> bool:
    """Whether there is such a file; asked once in a run."""
    return path.is_file()


@lru_cache(maxsize=4096)
def import_roots(folder: Path) -> tuple[Path, ...]:
    """The folders that stand for the import path: the file's own, then its parents up to the project's root."""
    roots = [folder]
    for _ in range(_PARENTS):
        if any((roots[-1] / mark).exists() for mark in _ROOT_MARKS) or roots[-1].parent == roots[-1]:
            break
        roots.append(roots[-1].parent)
    return tuple(roots)


def forget() -> None:
    """Ask the file system anew from now on; for processes that lint more than once."""
    is_file.cache_clear()
    import_roots.cache_clear()
