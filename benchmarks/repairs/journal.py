"""What a long run has done so far, kept in a file, so that a run that was ended goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.repairs.outcome import Outcome


class Journal:
    """Outcomes by the programs that they are of. Without a path they are only remembered.

    It knows nothing of looplint: the outcomes of another version are for the user to delete.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, list[Outcome]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._known[row["key"]] = [Outcome(**{**o, "new_findings": tuple(o["new_findings"])}) for o in row["outcomes"]]

    def get(self, key: str) -> list[Outcome] | None:
        return self._known.get(key)

    def add(self, key: str, found: list[Outcome]) -> None:
        self._known[key] = found
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"key": key, "outcomes": [asdict(o) for o in found]}) + "\n")


def key(label: str, texts: Iterable[str]) -> str:
    """A name for a group of programs, in whatever order, that changes with any of their texts."""
    digest = hashlib.sha256("\0".join(sorted(texts)).encode())
    return f"{label} {digest.hexdigest()[:16]}"
