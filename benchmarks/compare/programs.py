"""The programs that two versions are asked about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_READ = (".py", ".ipynb", ".toml", ".cfg", ".txt")


@dataclass(frozen=True, slots=True)
class Program:
    """A file, or a folder that is linted as a whole: `what` is its path from `folder`, where looplint runs.

    `alone` is false for repositories, of which only the findings are asked.
    """

    name: str
    folder: Path
    what: str
    alone: bool = True
    about: str = ""

    def digest(self) -> str:
        """A name for the contents of all its files."""
        path = self.folder / self.what
        found = sorted(p for p in path.rglob("*") if p.suffix in _READ and p.is_file()) if path.is_dir() else [path]
        return digest((p.relative_to(self.folder).as_posix(), p.read_bytes()) for p in found)

    def size(self) -> int:
        path = self.folder / self.what
        return sum(p.stat().st_size for p in path.rglob("*.py") if p.is_file()) if path.is_dir() else path.stat().st_size


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    found = hashlib.sha256()
    for name, raw in files:
        found.update(f"{name}\0{len(raw)}\0".encode("utf-8", "surrogateescape") + raw)
    return found.hexdigest()[:24]


def code_digest(root: Path, folders: Sequence[str]) -> str:
    """A name for the code in some folders of a checkout, committed or not."""
    found = sorted(p for f in folders for p in (root / f).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return digest((p.relative_to(root).as_posix(), p.read_bytes()) for p in found)


def scripts(root: Path, within: Path) -> Iterator[Program]:
    """Each file below a folder by itself, and each folder with a `main.py` as one program; named from `root`."""
    entries = sorted(within.iterdir())
    if any(e.name == "main.py" for e in entries):
        yield _program(root, within)
        return
    for entry in entries:
        if entry.is_dir() and not entry.name.startswith(".") and entry.name != "__pycache__":
            yield from scripts(root, entry)
        elif entry.suffix in (".py", ".ipynb"):
            yield _program(root, entry)


def _program(root: Path, path: Path) -> Program:
    name = path.relative_to(root).as_posix()
    return Program(f"{root.name}/{name}" if root.name == "fixtures" else name, root.parent, f"{root.name}/{name}".removesuffix("/."))


def repositories(checkouts: Path) -> Iterator[Program]:
    """Folders named owner+name or owner__name, or owner with a folder for each of its repositories."""
    for entry in sorted(p for p in checkouts.iterdir() if p.is_dir()):
        inside = [entry] if "+" in entry.name or "__" in entry.name else sorted(p for p in entry.iterdir() if p.is_dir())
        for folder in inside:
            name = folder.relative_to(checkouts).as_posix()
            yield Program(name, checkouts, name, alone=False)


def written(planted: Sequence[Mapping[str, Any]], folder: Path) -> Iterator[Program]:
    """Planted bugs, each in a folder of its own."""
    for each in planted:
        for name, text in each["files"].items():
            path = folder / each["name"] / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        yield Program(each["name"], folder, f"{each['name']}/{each['main']}", about=each["about"])
