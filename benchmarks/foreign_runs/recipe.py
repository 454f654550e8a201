"""What is done to a script before it is run: edits by line number, so that none of its text is kept here, and small data made up for it."""

from __future__ import annotations

import gzip
import hashlib
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class Changed(Exception):
    """The script is not the one that the line numbers were written for."""


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def on_device(entry: Mapping[str, Any], device: str) -> Mapping[str, Any]:
    """An entry or a planted bug, with what it has under `cuda` in the place of what it has of the same names, if that is the device."""
    return {**entry, **entry.get("cuda", {})} if device == "cuda" else entry


def edited(text: str, edits: Sequence[Mapping[str, Any]]) -> str:
    """A script with some edits, all of which refer to its lines as they were numbered before any of them.

    `{"delete": 3}`, `{"move": 3, "after": 7}` (or "before"), `{"insert": "code", "after": 7}`, `{"set": 3, "to": "code"}`, `{"drop": ".item()", "in": 3}`: what is
    moved or put in takes the indentation of the line that it follows or replaces.
    """
    lines = text.splitlines()
    after: dict[int, list[str]] = {}
    kept: dict[int, str | None] = dict(enumerate(lines, 1))

    def indented(code: str, row: int) -> str:
        old = lines[row - 1]
        return old[: len(old) - len(old.lstrip())] + code.lstrip()

    for edit in edits:
        match edit:
            case {"delete": int(row)}:
                kept[row] = None
            case {"move": int(row), "after": int(target)}:
                kept[row] = None
                after.setdefault(target, []).append(indented(lines[row - 1], target))
            case {"move": int(row), "before": int(target)}:
                kept[row] = None
                after.setdefault(target - 1, []).append(indented(lines[row - 1], target))
            case {"insert": str(code), "after": int(target)}:
                after.setdefault(target, []).append(indented(code, target))
            case {"set": int(row), "to": str(code)}:
                kept[row] = indented(code, row)
            case {"drop": str(part), "in": int(row)} if lines[row - 1].count(part) == 1:
                kept[row] = lines[row - 1].replace(part, "")
            case _:
                raise ValueError(f"no such edit: {edit}")
    out = [new for row in kept for new in ([kept[row]] if kept[row] is not None else []) + after.get(row, [])]
    return "\n".join(str(line) for line in out) + "\n"


def write_data(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes the data that a script reads: `{"words": 500}` in lines of twenty, or `{"numbers": [rows, columns]}` with a last column of 0 and 1."""
    draw = random.Random(0)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case {"words": int(count)}:
                words = ["".join(draw.choices("abcdefghij", k=4)) for _ in range(60)]
                chosen = draw.choices(words, k=count)
                text = "".join(" ".join(chosen[i : i + 20]) + "\n" for i in range(0, count, 20))
            case {"numbers": [int(rows), int(columns)]}:
                text = "".join(
                    ",".join([*(f"{draw.uniform(-1, 1):.4f}" for _ in range(columns - 1)), str(draw.randint(0, 1))]) + "\n"
                    for _ in range(rows)
                )
            case _:
                raise ValueError(f"no such data: {content}")
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
