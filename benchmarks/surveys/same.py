"""Whether a survey says of each repository what `looplint check` says there, byte for byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import looplint
from looplint.escaping import json_text
from looplint.survey.datasets import Store
from looplint.survey.linter_options import version
from looplint.survey.repositories import Repository
from looplint.survey.trees import opened

_CHECK = ("check", "--no-cache", "--isolated", "-j", "1", "--output-format", "json", ".")


def checked(repository: Repository) -> str:
    """The findings of one repository as `looplint check` prints them, by a process of its own."""
    with opened(Path(repository.place), repository.commit) as folder:
        code = (
            f"import sys; sys.path.insert(0, {str(Path(looplint.__file__).parents[1])!r}); from looplint.commands.cli import main; main()"
        )
        return subprocess.run([sys.executable, "-c", code, *_CHECK], cwd=folder, capture_output=True, text=True, check=False).stdout


def stored(out: Path) -> Mapping[str, str]:
    """The findings of each repository of a survey, written in the same way."""
    store = Store(out)
    records: dict[str, list[object]] = {name: [] for name, row in store.known().items() if row["state"] == "done"}
    for row in store.rows("findings"):
        records[row["repository"]].append(json.loads(row["record"]))
    return {name: json_text(found, indent=2) + "\n" for name, found in records.items()}


def differing(repositories: Sequence[Repository], out: Path) -> list[str]:
    """The repositories of which the two say different things."""
    surveyed = stored(out)
    return [each.name for each in repositories if _ordered(surveyed.get(each.name, "")) != _ordered(checked(each))]


def facts(repositories: Sequence[Repository], out: Path, cut: int, different: Sequence[str]) -> dict[str, Any]:
    """The figures of a comparison, for the page about surveys."""
    rows = Store(out).known()
    root = Path(looplint.__file__).parents[1]
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    return {
        "repositories": len(repositories),
        "programs": sum(row["programs"] or 0 for row in rows.values()),
        "findings": sum(row["findings"] or 0 for row in rows.values()),
        "cut_kb": cut,
        "in_parts": sum((row["tasks"] or 0) > 1 for row in rows.values()),
        "different": len(different),
        "looplint": version(),
        "commit": commit,
    }


def _ordered(text: str) -> list[str]:
    return sorted(text.splitlines())
