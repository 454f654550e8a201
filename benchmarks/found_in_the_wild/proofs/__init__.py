"""A proof a file: what was found and where, and `measure`, which runs the repository's code and returns what it shows.

The proof modules import torch; what they state is read from their text, so that nothing else has to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_STATED = ("REPO", "COMMIT", "PATH", "FOUND", "SEVERITY", "CALLERS")


@dataclass(frozen=True)
class Proof:
    """What a proof states.

    Attributes:
        name: that of its file.
        repo: owner and name of the repository.
        commit: the commit that was read and run.
        path: the file with the findings.
        found: the rule at each line.
        severity: that of the findings.
        callers: files that are linted with it, besides those of its folder: the programs that call it.
    """

    name: str
    repo: str
    commit: str
    path: str
    found: Mapping[int, str]
    severity: str = "error"
    callers: tuple[str, ...] = ()


def proofs() -> Iterator[Proof]:
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in _STATED
        }
        yield Proof(file.stem, **{name.lower(): value for name, value in constants.items()})
