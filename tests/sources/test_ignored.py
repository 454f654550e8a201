"""Which files a `.gitignore` leaves out: those that git leaves out."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from looplint.sources.discovery import discover

FILES = ["main.py", "build/made.py", "build/keep/kept.py", "pytorch/main.py", "pytorch/data/load.py", "utils/data.py", "utils/old_main.py"]
IGNORED = {
    "all but what has an extension": ["*", "!*/", "!*.*"],
    "all but one folder": ["/*", "!/pytorch/"],
    "a folder but one in it": ["build/*", "!build/keep/"],
    "a folder, and nothing in it": ["build/", "!build/keep/kept.py"],
    "names anywhere": ["data", "old_*.py"],
    "from the root alone": ["/main.py", "# a comment", ""],
    "any depth": ["**/data/**", "utils/**/old_main.py"],
    "taken back": ["*.py", "!main.py"],
}


class _NothingExcluded:
    force_exclude = False
    extension: tuple[tuple[str, str], ...] = ()

    def excludes(self, path: Path, *, folder: bool = False) -> bool:
        return path.name == ".git"


def _found(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in discover([str(folder)], lambda _: _NothingExcluded()).files}


def _of_git(folder: Path) -> set[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "*.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(listed.stdout.split())


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize("lines", IGNORED.values(), ids=IGNORED)
def test_what_git_ignores_is_not_linted(repository: Path, lines: list[str]) -> None:
    (repository / ".gitignore").write_text("\n".join(lines))
    assert _found(repository) == _of_git(repository)


def test_a_folder_takes_back_what_the_one_above_ignores(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.py\n")
    (repository / "pytorch" / ".gitignore").write_text("!main.py\n")
    assert _found(repository) == _of_git(repository) == {"pytorch/main.py"}
