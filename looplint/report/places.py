"""Where a finding stands in the lines of its file, for readers that know files and not cells."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from looplint.finding import Location


def in_file(filename: str, location: Location, cell: int | None) -> Location:
    """The place in the file's own lines: of a notebook, the line of its JSON text that holds the row of the cell."""
    if cell is None:
        return location
    from looplint.sources.notebook_edit import place_in_json

    return place_in_json(_bytes(filename), cell, location) or Location(1, 1)


@lru_cache(maxsize=16)
def _bytes(filename: str) -> bytes:
    try:
        return Path(filename).read_bytes()
    except OSError:
        return b""
