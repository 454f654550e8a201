"""What a configuration file may bring about: nothing in a linted tree can by itself make looplint execute code, or read and write outside of its project.

Rules of one's own are Python. They are executed where the user allows it from outside the tree: on the command line, in the environment, or by having
trusted their folder once. See SECURITY.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.settings.file import NAMES

VARIABLE = "LOOPLINT_ALLOW_RULES"
_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")
# What marks the top of a working copy.
_COPIES = (".git", ".hg", ".svn")


@dataclass(frozen=True, slots=True)
class Trust:
    """What the user says of the configuration files of a run.

    `rules` says whether own rules are executed, or nothing (None); `named` is the configuration file that the command line names.
    """

    rules: bool | None = None
    named: Path | None = None

    def may_reach(self, configuration: Path, target: Path) -> bool:
        """Whether a configuration file may have looplint read from a place, or write to it."""
        return configuration == self.named or _within(target, project_of(configuration.parent)) or is_trusted(target)

    def unexecuted(self, configuration: Path, folders: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Which folders of own rules are not executed.

        Returns:
            These folders, and why they are not, as text for the user; empty where the user left them out.
        """
        if self.rules is False:
            return tuple(folders), ""
        left = [folder for folder in folders if not is_trusted(Path(folder))]
        allowed = self.rules or (bool(left) and allowed_by_environment())
        if allowed:
            left = [folder for folder in left if not self.may_reach(configuration, Path(folder))]
        return tuple(left), _refusal(left, allowed) if left else ""


def _refusal(folders: Sequence[str], allowed: bool) -> str:
    names = ", ".join(os.path.relpath(folder) for folder in folders)
    if allowed:
        return f"the rules in {names} were not run: they lie outside of the project; `looplint trust {names}` allows them"
    return (
        f"the rules in {names} were not run: they are Python code, which would be executed. "
        "--allow-rules executes them, `looplint trust` always does for a folder, --skip-rules lints without them"
    )


def allowed_by_environment() -> bool:
    """Whether the environment allows own rules.

    Raises:
        UserError: the variable's value means nothing.
    """
    value = os.environ.get(VARIABLE, "").lower()
    if value not in (*_YES, *_NO):
        raise UserError(f"{VARIABLE} has to be 1 or 0, not {value!r}")
    return value in _YES


def project_of(folder: Path) -> Path:
    """The folder to which a configuration is confined.

    That is the working copy it lies in. Without one it is the outermost of: its own folder, those above it with a configuration file, and the current
    folder, if it is above.
    """
    folder = folder.resolve()
    above = (folder, *folder.parents)
    for each in above:
        if any(os.path.exists(each / name) for name in _COPIES):
            return each
    here = Path.cwd()
    return next((each for each in reversed(above) if each == here or any(os.path.isfile(each / name) for name in NAMES)), folder)


def is_trusted(path: Path) -> bool:
    """Whether a path lies in a folder that the user has trusted."""
    path = path.resolve()
    return any(_within(path, folder) for folder in trusted_folders())


def trusted_folders() -> list[Path]:
    """The folders that the user has trusted."""
    try:
        lines = _list().read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    return [Path(line) for line in lines if os.path.isabs(line)]


def trust(folder: Path) -> bool:
    """Trust a folder from now on.

    Returns:
        Whether it was not trusted before.

    Raises:
        UserError: it is no folder, or the list of trusted folders cannot be written.
    """
    folder = folder.resolve()
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder")
    known = trusted_folders()
    if folder in known:
        return False
    _write([*known, folder])
    return True


def distrust(folder: Path) -> bool:
    """Trust a folder no longer.

    Returns:
        Whether it was trusted.

    Raises:
        UserError: the list of trusted folders cannot be written.
    """
    folder = folder.resolve()
    known = trusted_folders()
    if folder not in known:
        return False
    _write(each for each in known if each != folder)
    return True


def _write(folders: Iterable[Path]) -> None:
    folders = sorted(folders)
    if any("\n" in str(folder) or "\r" in str(folder) for folder in folders):
        raise UserError("a folder with a line break in its name cannot be trusted")
    path = _list()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{folder}\n" for folder in folders), encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from None


def _list() -> Path:
    """The file with the trusted folders, among the user's own settings."""
    import click

    return Path(click.get_app_dir("looplint")) / "trusted-folders"


def _within(path: Path, folder: Path) -> bool:
    path = path.resolve()
    return path == folder or folder in path.parents
