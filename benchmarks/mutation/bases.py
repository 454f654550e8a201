"""The correct scripts that bugs are planted in: the project's own fixtures, and real scripts at pinned commits."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
REAL_SCRIPTS = Path(__file__).with_name("real_scripts.json")
# A fixture with one of these marks is not known to be correct, or not known to be seen as correct.
_MARKED = re.compile(r"#\s*(expect|false alarm|missed):")


@dataclass(frozen=True, slots=True)
class Base:
    """One file of a correct program: the file that is mutated, the file that is linted, and the folder that holds both."""

    label: str
    folder: Path
    file: str
    main: str
    kind: str

    @property
    def source(self) -> str:
        return (self.folder / self.file).read_text(encoding="utf-8")

    def siblings(self) -> Mapping[str, str]:
        """The program's other files: all of a fixture's folder, the imported neighbours of a real script."""
        if self.kind == "fixture":
            others = sorted(self.folder.glob("*.py")) if self.main != self.file or self.folder_is_case else []
            return {p.name: p.read_text(encoding="utf-8") for p in others if p.name != self.file}
        return dict(_imported(self.folder, self.source))

    @property
    def folder_is_case(self) -> bool:
        return self.kind == "fixture" and (self.folder / "main.py").exists()


def fixture_bases(root: Path = FIXTURES) -> Iterator[Base]:
    """Silent cases and expert repairs, single files and each file of a folder in turn."""
    for rule in sorted(p for p in root.iterdir() if p.is_dir()):
        for entry in sorted(rule.iterdir()):
            name = f"{rule.name}/{entry.name}"
            if entry.is_dir() and (entry / "main.py").exists():
                files = sorted(entry.glob("*.py"))
                if not any(_MARKED.search(f.read_text(encoding="utf-8")) for f in files):
                    for file in files:
                        yield Base(f"{name}/{file.name}", entry, file.name, "main.py", "fixture")
            elif entry.suffix == ".py" and not entry.name.endswith(".fixed.py") and not _MARKED.search(entry.read_text(encoding="utf-8")):
                yield Base(name, rule, entry.name, entry.name, "fixture")


def real_bases(checkouts: Path, scripts: Path = REAL_SCRIPTS) -> Iterator[Base]:
    """The listed scripts, from a folder of checkouts named `owner__name`; those not there are left out (the caller prints how many)."""
    for row in json.loads(scripts.read_text(encoding="utf-8")):
        path = checkouts / row["repo"].replace("/", "__") / row["path"]
        if path.is_file():
            yield Base(f"{row['repo']}/{row['path']}", path.parent, path.name, path.name, "real")


def listed_scripts(scripts: Path = REAL_SCRIPTS) -> int:
    return len(json.loads(scripts.read_text(encoding="utf-8")))


def _imported(folder: Path, source: str) -> Iterator[tuple[str, str]]:
    """The files beside a script that it imports by name, directly."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names |= {a.name for a in node.names}
    for name in sorted(names):
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        if path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")
