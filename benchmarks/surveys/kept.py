"""What was found of the bugs planted in a repository, kept in the folder of a round, so that a round that is stopped goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.planted.__main__ import Outcome
from benchmarks.planted.planting import Plant
from looplint.sources.writing import write_atomic


class Kept:
    """The outcomes of repositories, each by the key under which it was surveyed and by how bugs were planted.

    Args:
        folder: where they are; it need not be there yet.
        most, timeout: how many bugs are planted, and how long one may take.
    """

    def __init__(self, folder: Path, most: int, timeout: float) -> None:
        self._folder, self._how = folder, f"{most} {timeout:g} {_planters()}"

    def of(self, key: str) -> list[Outcome] | None:
        """The outcomes of a repository, None where they are not known."""
        try:
            rows = json.loads(self._path(key).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return [Outcome(**{**row, "plant": Plant(**{**row["plant"], "codes": frozenset(row["plant"]["codes"])})}) for row in rows]

    def put(self, key: str, outcomes: Sequence[Outcome]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._path(key), json.dumps(list(map(_row, outcomes))).encode())

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.blake2b(f'{key} {self._how}'.encode(), digest_size=16).hexdigest()}.json"


def _row(outcome: Outcome) -> dict[str, Any]:
    # Without the text of the planted file: nothing that is counted needs it.
    plant = {**asdict(outcome.plant), "codes": sorted(outcome.plant.codes), "text": ""}
    return {**asdict(outcome), "plant": plant}


@lru_cache(maxsize=1)
def _planters() -> str:
    """A digest of the code that chooses and plants bugs."""
    found = hashlib.blake2b(digest_size=6)
    for path in sorted((Path(__file__).parents[1]).rglob("*.py")):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
