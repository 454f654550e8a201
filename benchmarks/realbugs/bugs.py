"""The list of real bugs, and the source trees before and after each repair.

`bugs.json` holds what was read in the commits: by readers who did not know what looplint says of them. `rules` are the codes that would rightly tell
the author of the bug; the list is empty for a kind of bug that no rule claims.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

LIST = Path(__file__).with_name("bugs.json")
_READ = (".py", ".toml", ".cfg")
_LARGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug in `path` at `row` of the commit before `commit`, which repairs it."""

    repository: str
    commit: str
    path: str
    row: int
    category: str
    rules: frozenset[str]
    evidence: str


def read(path: Path = LIST) -> list[Bug]:
    """The bugs of a list, in its order."""
    return [Bug(**{**each, "rules": frozenset(each["rules"])}) for each in json.loads(path.read_text(encoding="utf-8"))]


class History:
    """The bare git directory of a repository, of which nothing is fetched and nothing is checked out."""

    def __init__(self, mirrors: Path, repository: str) -> None:
        """A folder with `owner+name/repo` for each repository.

        Raises:
            FileNotFoundError: there is no such repository
        """
        place = mirrors / repository.replace("/", "+") / "repo"
        self._directory = place / ".git" if (place / ".git").is_dir() else place
        if not self._directory.is_dir():
            raise FileNotFoundError(f"no copy of {repository} in {mirrors}")

    def write(self, revision: str, folder: Path) -> None:
        """Write what a program is read from, as it stood at a revision. Files that the copy lacks are left out.

        Raises:
            LookupError: the copy lacks the revision
        """
        listed = self._git("ls-tree", "-r", "-l", "-z", revision)
        if not listed:
            raise LookupError(f"no revision {revision} in {self._directory}")
        wanted = dict(_sources(listed.decode("utf-8", "surrogateescape")))
        texts = self._git("cat-file", "--batch", given="".join(f"{sha}\n" for sha in wanted.values()).encode())
        for path in wanted:
            head, _, texts = texts.partition(b"\n")
            if head.endswith(b" missing"):
                continue
            size = int(head.rpartition(b" ")[2])
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(texts[:size])
            texts = texts[size + 1 :]

    def _git(self, *arguments: str, given: bytes = b"") -> bytes:
        command = ["git", "--git-dir", str(self._directory), *arguments]
        return subprocess.run(command, input=given, capture_output=True, env={**os.environ, "GIT_NO_LAZY_FETCH": "1"}, check=False).stdout


def _sources(listed: str) -> Iterator[tuple[str, str]]:
    """The path and the blob of each file of a tree that a program is read from."""
    for line in filter(None, listed.split("\0")):
        about, _, path = line.partition("\t")
        mode, kind, sha, size = about.split()
        inside = PurePosixPath(path)
        if (
            kind == "blob"
            and mode != "120000"
            and inside.suffix in _READ
            and size.isdigit()
            and int(size) <= _LARGEST
            and ".." not in inside.parts
        ):
            yield path, sha
