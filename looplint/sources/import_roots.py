"""Where modules of a project can lie: questions to the file system that decide what a file's imports lead to."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from looplint.regex import regex

_PARENTS = 6
_ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")
# The parts of a path that a program writes: `join(here, "..", "lib")`, `here / "lib"`, `dirname(__file__) + "/../lib"`.
_WRITTEN_PATH = regex(r"""(?:["'][\w./-]+["']\s*[,/]?\s*)+""")
_MOST_ADDED = 16
# A folder of modules has a few parts: what has more is data.
_MOST_FOLDERS = 64


@lru_cache(maxsize=16384)
def is_file(path: Path) -> bool:
    """Whether there is such a file; cached for a run."""
    return os.path.isfile(path)


@lru_cache(maxsize=16384)
def files_of(folder: Path, parts: tuple[str, ...]) -> tuple[tuple[Path, ...], Path | None]:
    """The files that a dotted name may stand for in a folder: those that are not there, and the first that is, if any; cached for a run.

    A package comes before a module of its name, as for Python: `spert.py` starts what lies in `spert/`.
    """
    target = folder.joinpath(*parts)
    candidates = [target / "__init__.py", target.with_suffix(".py")] if parts else [target / "__init__.py"]
    absent: list[Path] = []
    for candidate in candidates:
        if is_file(candidate):
            return tuple(absent), candidate
        absent.append(candidate)
    return tuple(absent), None


@lru_cache(maxsize=16384)
def resolved(path: Path) -> Path:
    """The file behind all links; cached for a run."""
    return path.resolve()


@lru_cache(maxsize=4096)
def holds_modules(folder: Path, deeper: bool = True) -> bool:
    """Whether there is such a folder with a module in it, or, `deeper`, with a folder that has one; cached for a run."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return False
    if any(name.endswith(".py") for name in names):
        return True
    return deeper and any(holds_modules(folder / name, deeper=False) for name in filter(str.isidentifier, names[:_MOST_FOLDERS]))


@lru_cache(maxsize=4096)
def import_roots(folder: Path) -> tuple[Path, ...]:
    """The folders that stand for the import path: the file's own, then its parents up to the project's root, and the root's `src`.

    The root is the outermost parent with a mark of one: an example or a subproject has its own requirements, and imports what lies beside it.
    """
    parents = (folder, *folder.parents)[: _PARENTS + 1]
    root = None
    for parent in parents:
        if any(os.path.exists(parent / mark) for mark in _ROOT_MARKS):
            root = parent
        if os.path.exists(parent / ".git"):
            break
    root = root or parents[-1]
    roots = parents[: parents.index(root) + 1]
    sources = root / "src"
    return (*roots, sources) if sources not in roots and os.path.isdir(sources) else roots


def added_by(text: str, folder: Path) -> tuple[Path, ...]:
    """The folders that a module in `folder` may add to the import path: those that its lines about paths name, where it touches `sys.path` at all."""
    if "sys.path" not in text:
        return ()
    lines = (line for line in text.splitlines() if "path" in line.lower() and not line.lstrip().startswith("#"))
    written = {"/".join(re.findall(r"[\w.-]+", found)) for line in lines for found in _WRITTEN_PATH.findall(line)}
    named = (Path(os.path.normpath(base / name)) for name in sorted(written) for base in import_roots(folder))
    return tuple(dict.fromkeys(path for path in named if os.path.isdir(path)))[:_MOST_ADDED]


def nearest(path: Path) -> str:
    """The end of a message that says a file is missing: the file most likely meant, or nothing."""
    near = _nearest(path)
    return f"; did you mean {near}?" if near else ""


def _nearest(path: Path) -> Path | None:
    from difflib import get_close_matches

    folder: Path | None = path.parent
    if not os.path.isdir(path.parent):
        folder = _nearest(path.parent) if path.parent.name else None
        if folder is None or not os.path.isdir(folder) or os.path.exists(folder / path.name):
            return folder and folder / path.name
    assert folder is not None
    names = {entry.name.lower(): entry.name for entry in folder.iterdir() if not entry.name.startswith(".")}
    near = get_close_matches(path.name.lower(), names, 1, 0.6)
    return folder / names[near[0]] if near else None


def forget() -> None:
    """Read the file system again from now on; for processes that lint more than once."""
    is_file.cache_clear()
    files_of.cache_clear()
    resolved.cache_clear()
    holds_modules.cache_clear()
    import_roots.cache_clear()
