"""The repositories that have been read: what is measured on one of them is no first reading any more.

`already_read.json` lists them by owner and name. It lacks most of rounds 3 to 6 of `docs/measured.md`, whose names were not kept.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

_LIST = Path(__file__).with_name("already_read.json")


def already_read(names: Iterable[str]) -> list[str]:
    """Those of some folders `owner__name` or `owner+name` whose repositories have been read."""
    read = {each.lower() for each in json.loads(_LIST.read_text(encoding="utf-8"))}
    return [name for name in names if name.replace("+", "/", 1).replace("__", "/", 1).lower() in read]


def warn(checkouts: Iterable[Path]) -> None:
    """Say on standard error which checkouts do not count as fresh."""
    known = already_read(path.name for path in checkouts)
    if known:
        print(f"read before, so no fresh code: {', '.join(known)}", file=sys.stderr)
