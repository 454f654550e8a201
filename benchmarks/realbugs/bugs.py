"""The list of real bugs.

`bugs.json` holds what was read in the commits: by readers who did not know what looplint says of them. `rules` are the codes that would rightly tell
the author of the bug; the list is empty for a kind of bug that no rule claims.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("bugs.json")


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
    # Where that is so: why the text of the file and of those that import it does not tell for certain that it is a bug.
    not_in_the_text: str = ""


def read(path: Path = LIST) -> list[Bug]:
    """The bugs of a list, in its order."""
    return [Bug(**{**each, "rules": frozenset(each["rules"])}) for each in json.loads(path.read_text(encoding="utf-8"))]
