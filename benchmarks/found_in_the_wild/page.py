"""The parts of `docs/found-in-the-wild.md` that are written from what the proofs state and measured."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from benchmarks.found_in_the_wild.proofs import Proof

BLOCK = re.compile(r"<!-- proof (\w+) -->\n.*?<!-- /proof -->", re.DOTALL)


def block(proof: Proof, measured: Mapping[str, Any]) -> str:
    """The head of an entry: where it was found, and what its proof measured."""
    places = ", ".join(f"{code} at line {row}" for row, code in proof.found.items())
    rows = "\n".join(f"| {name.replace('_', ' ')} | {_value(value)} |" for name, value in measured.items())
    return (
        f"<!-- proof {proof.name} -->\n"
        f"`{proof.path}` of {proof.repo}, commit {proof.commit[:12]}: **{places}**\n\n"
        f"| measured by `{proof.name}` | |\n|---|---:|\n{rows}\n"
        "<!-- /proof -->"
    )


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
