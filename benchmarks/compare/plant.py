"""Run as a script, with a checkout on PYTHONPATH: print about as many planted bugs as the argument says, as JSON.

Each is the text of every file of its program, so that two versions of looplint are asked about the same ones.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.mutation.bases import Base, fixture_bases
from benchmarks.mutation.measure import copy_program, sample
from benchmarks.mutation.mutant import Mutant
from benchmarks.mutation.mutators import MUTATORS


def main() -> None:
    per_rule = -(-int(sys.argv[1]) // len(MUTATORS))
    print(json.dumps(list(planted(per_rule))))


def planted(per_rule: int) -> Iterator[dict[str, Any]]:
    """Equally many bugs of each rule, spread evenly over all that there are."""
    count = dict.fromkeys(MUTATORS, 0)
    for base, mutants in sample(list(fixture_bases()), (), per_rule).items():
        for mutant in mutants:
            count[mutant.code] += 1
            name = f"{mutant.code}-{count[mutant.code]}"
            about = f"{base.label}:{mutant.line} {mutant.description}"
            yield {"name": name, "about": about, "main": base.main, "files": texts(base, mutant)}


def texts(base: Base, mutant: Mutant) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        folder = Path(name)
        copy_program(base, folder)
        (folder / base.file).write_text(mutant.text, encoding="utf-8")
        return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in sorted(folder.rglob("*.py"))}


if __name__ == "__main__":
    main()
