"""What is surveyed: repositories in folders, in bare git repositories, or named in a manifest."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.survey import trees

COLUMNS = ("name", "place", "commit", "kind", "year")


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository: a folder, or a commit of a git repository. `year` is that of its last commit, 0 where it is not known."""

    name: str
    place: str
    commit: str = ""
    kind: str = ""
    year: int = 0


def read(sources: Sequence[str]) -> list[Repository]:
    """The repositories that the words of a command line mean, each name once.

    Args:
        sources: folders, git directories (`place@commit`, HEAD where no commit is named), and manifests (.csv, .json).

    Raises:
        UserError: one of them is none of these, or two repositories have one name.
    """
    found = [repository for source in sources for repository in _of(source)]
    places: dict[str, Repository] = {}
    for repository in found:
        if places.setdefault(repository.name, repository) != repository:
            raise UserError(f"two repositories are named {repository.name}; give them names in a manifest")
    return list(places.values())


def _of(source: str) -> list[Repository]:
    path = Path(source)
    if path.is_file() and path.suffix in (".csv", ".json"):
        return _of_manifest(path)
    place, at, commit = source.rpartition("@") if "@" in source and not path.exists() else (source, "", "")
    folder = Path(place)
    if at and not trees.is_bare(folder):
        raise UserError(f"{source}: {place} is no bare git repository, so no commit of it can be read")
    if not folder.is_dir():
        raise UserError(f"{source}: no such folder, bare git repository or manifest (.csv, .json)")
    name = folder.resolve().name.removesuffix(".git") or str(folder)
    return [Repository(name, os.path.abspath(folder), (commit or "HEAD") if trees.is_bare(folder) else "")]


def _of_manifest(path: Path) -> list[Repository]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = json.loads(text) if path.suffix == ".json" else list(csv.DictReader(text.splitlines()))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read: {error}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path}: is no list of repositories; it needs objects with {', '.join(COLUMNS)}")
    return [_of_row(path, number, row) for number, row in enumerate(rows, 1)]


def _of_row(path: Path, number: int, row: Mapping[str, object]) -> Repository:
    words = {name: str(row.get(name) or "").strip() for name in COLUMNS}
    where = f"{path}: repository {number}"
    if unknown := _unknown(row):
        raise UserError(f"{where}: {unknown[0]} is unknown; there are {', '.join(COLUMNS)}")
    if not words["place"]:
        raise UserError(f"{where}: has no place")
    if words["year"] and not (words["year"].isdigit() and len(words["year"]) == 4):
        raise UserError(f"{where}: year is {words['year']}, not four digits")
    folder = path.parent / words["place"]
    commit = words["commit"] or ("HEAD" if trees.is_bare(folder) else "")
    name = words["name"] or folder.resolve().name.removesuffix(".git")
    return Repository(name, os.path.abspath(folder), commit, words["kind"], int(words["year"] or 0))


def _unknown(row: Iterable[object]) -> list[str]:
    return [str(name) for name in row if name not in COLUMNS]
