"""From the paths a user gives to the files that are linted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from looplint.dataclass import dataclass
from looplint.finding import Problem
from looplint.sources.languages import is_looked_for
from looplint.sources.regular import read_regular

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Choice(Protocol):
    """What the settings of a folder say of which files are linted."""

    @property
    def force_exclude(self) -> bool: ...

    @property
    def extension(self) -> tuple[tuple[str, str], ...]: ...

    def excludes(self, path: Path, *, folder: bool = False) -> bool: ...


ChoiceOf = Callable[[Path], Choice]


@dataclass(frozen=True, slots=True)
class Discovered:
    """The files to lint, each once, in a stable order, and the paths that name nothing."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]


def discover(paths: Sequence[str], settings_of: ChoiceOf) -> Discovered:
    """Expand folders; keep files that were named, whatever they are called.

    Args:
        paths: what the user named; "-" is standard input.
        settings_of: the settings of a folder, which say what is left out.
    """
    files: dict[Path, None] = {}
    problems: list[Problem] = []
    for name in paths:
        path = Path(name)
        try:
            mode = 0 if name == "-" else os.stat(path).st_mode
        except OSError as error:
            problems.append(_missing(path, error))
            continue
        if name == "-":
            files.setdefault(path)
        elif stat.S_ISREG(mode):
            if not _left_out(path, settings_of(path.parent), folder=False):
                files.setdefault(path)
        elif stat.S_ISDIR(mode):
            if not _left_out(path, settings_of(path), folder=True):
                files.update(dict.fromkeys(_walk(path, settings_of, problems)))
        else:
            problems.append(Problem(name, "cannot be read: not a regular file"))
    return Discovered(tuple(files), tuple(problems))


def _missing(path: Path, error: OSError) -> Problem:
    """Why there is nothing under a path that was named."""
    if isinstance(error, PermissionError):
        return Problem(str(path), f"cannot be read: {error.strerror}", unreadable=True)
    if path.is_symlink():
        return Problem(str(path), "is a link that leads to no file or folder")
    from looplint.sources.import_roots import nearest

    return Problem(str(path), f"no such file or directory{nearest(path)}")


def _left_out(path: Path, choice: Choice, *, folder: bool) -> bool:
    """Whether a path that was named is excluded all the same: by its own name, or by that of a folder below the current one that it lies in."""
    if not choice.force_exclude:
        return False
    here, absolute = Path.cwd(), Path(os.path.abspath(path))
    if not folder and choice.excludes(absolute):
        return True
    return any(choice.excludes(p, folder=True) for p in (absolute, *absolute.parents)[not folder :] if here in p.parents)


def _walk(top: Path, settings_of: ChoiceOf, problems: list[Problem]) -> Iterator[Path]:
    """The files below a folder; folders that cannot be read are added to the problems."""

    def unreadable(error: OSError) -> None:
        problems.append(Problem(str(Path(error.filename)), f"cannot be read: {error.strerror}", unreadable=True))

    ignores = _IgnoreFiles(top)
    seen: set[tuple[int, int]] = set()
    for folder, names, files in os.walk(top, onerror=unreadable, followlinks=True):
        here = Path(folder)
        status = here.stat()
        if (status.st_dev, status.st_ino) in seen:
            names[:] = []
            continue
        seen.add((status.st_dev, status.st_ino))
        ignores.read(here)
        settings = settings_of(here)
        names[:] = sorted(
            n
            for n in names
            if not settings.excludes(here / n, folder=True)
            and not ignores.match(here / n, folder=True)
            and not _leads_back(here / n, top)
            and not _is_environment(here / n)
        )
        for name in sorted(files):
            if (
                is_looked_for(name, settings.extension)
                and not settings.excludes(here / name)
                and not ignores.match(here / name, folder=False)
            ):
                yield here / name


def _leads_back(folder: Path, top: Path) -> bool:
    """Whether a folder is a link to one that is met by its own name below the same top."""
    return os.path.islink(folder) and folder.resolve().is_relative_to(top.resolve())


def _is_environment(folder: Path) -> bool:
    """Whether a folder is a virtual environment or one of conda's, whatever its name: `env` may as well hold the environments of an agent."""
    return os.path.exists(folder / "pyvenv.cfg") or os.path.exists(folder / "conda-meta" / "history")


class _IgnoreFiles:
    """The .gitignore files met on the way down, and those above up to the repository's root."""

    def __init__(self, top: Path) -> None:
        self._specs: list[tuple[Path, GitIgnoreSpec]] = []
        above = []
        for parent in top.resolve().parents:
            if os.path.exists(parent / ".git"):
                above = [p for p in top.resolve().parents if p == parent or parent in p.parents]
                break
        if not os.path.exists(top / ".git"):
            for parent in reversed(above):
                self.read(parent)

    def read(self, folder: Path) -> None:
        path = folder / ".gitignore"
        try:
            lines = read_regular(path).decode("utf-8", "replace").splitlines()
        except OSError:
            return
        from pathspec import GitIgnoreSpec

        self._specs.append((folder.resolve(), GitIgnoreSpec.from_lines(lines)))

    def match(self, path: Path, *, folder: bool) -> bool:
        if not self._specs:
            return False
        resolved = Path(os.path.abspath(path))
        for base, spec in reversed(self._specs):
            if base in resolved.parents:
                relative = resolved.relative_to(base).as_posix() + ("/" if folder else "")
                # The last pattern that matches decides; `match_file` takes `!*/` after `*` to be about files in a folder alone.
                for pattern in reversed(list(spec.patterns)):
                    if pattern.include is not None and pattern.match_file(relative) is not None:
                        return pattern.include
        return False
