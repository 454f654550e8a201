"""The files of a repository that benchmarks look at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

# Copies that Jupyter keeps of files that were opened: linters leave them out by default.
_COPIES = ".ipynb_checkpoints"


def python_files(repository: Path) -> Iterator[Path]:
    """The Python files of a repository, in the order of their names, without links and without the copies that Jupyter keeps."""
    for path in sorted(repository.rglob("*.py")):
        if path.is_file() and not path.is_symlink() and _COPIES not in path.relative_to(repository).parts:
            yield path
