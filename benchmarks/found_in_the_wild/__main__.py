"""`python -m benchmarks.found_in_the_wild --checkouts DIR`: lint what was found in other people's repositories again, and run the proof of each finding.

DIR holds one folder per repository, named owner__name or owner+name, at the commit that the proof names. Each proof runs the repository's own code, in a
process of its own, on a CPU. The command fails where a finding is no longer reported at its line, or where a run shows other numbers than those stored in
`measured.json`, which `--store` writes and the page quotes.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.found_in_the_wild.proofs import Proof, proofs
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection

STORED = Path(__file__).with_name("measured.json")
TOLERANCE = 0.05  # of what a run gives on another machine


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.found_in_the_wild", description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True, action="append", help="where the repositories are (repeatable)")
    parser.add_argument("--only", action="append", default=[], metavar="PROOF", help="only this proof (repeatable)")
    parser.add_argument("--store", action="store_true", help=f"keep what is measured in {STORED.name}, for the page")
    options = parser.parse_args(arguments)
    stored, failed = read(), 0
    for proof in proofs():
        if options.only and proof.name not in options.only:
            continue
        checkout = checkout_of(proof, options.checkouts)
        if checkout is None:
            print(f"{proof.name}: no checkout of {proof.repo}")
            failed += 1
            continue
        measured = run(proof, checkout)
        silent = not_reported(proof, checkout)
        wrong = [] if options.store else differences(measured, stored.get(proof.name, {}))
        if options.store:
            stored[proof.name] = measured
            STORED.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n", encoding="utf-8")
        failed += bool(silent or wrong)
        print(f"{proof.name}: {proof.repo} {proof.path}: {'; '.join([*silent, *wrong]) or 'as stated'}")
        for name, value in measured.items():
            print(f"    {name}: {value}")
    return 1 if failed else 0


def read() -> dict[str, dict[str, Any]]:
    """What the proofs measured, by their names."""
    return dict(json.loads(STORED.read_text(encoding="utf-8"))) if STORED.exists() else {}


def checkout_of(proof: Proof, folders: Sequence[Path]) -> Path | None:
    names = [proof.repo.replace("/", between) for between in ("__", "+")]
    return next((folder / name for folder in folders for name in names if (folder / name).is_dir()), None)


def run(proof: Proof, checkout: Path) -> dict[str, Any]:
    """What a proof measures, in a process of its own."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.found_in_the_wild.proofs", proof.name, str(checkout), file.name]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        text = Path(file.name).read_text(encoding="utf-8")
        if not text:
            raise RuntimeError(f"{proof.name} measured nothing:\n{done.stderr[-3000:]}")
        return dict(json.loads(text))


def not_reported(proof: Proof, checkout: Path) -> list[str]:
    """What a proof says that looplint reports, and is not reported: where the file is linted with those beside it and those named, which may call it."""
    result = lint_paths(
        [str((checkout / proof.path).parent), *(str(checkout / c) for c in proof.callers)], Selection(select=("ALL",)), jobs=1
    )
    reported = {(f.location.row, f.code): f.severity for f in result.findings if Path(f.filename) == checkout / proof.path}
    return [
        f"{code} is not reported at line {row} as {proof.severity}"
        for row, code in proof.found.items()
        if reported.get((row, code)) != proof.severity
    ]


def differences(measured: dict[str, Any], stored: dict[str, Any]) -> list[str]:
    """What is measured now and differs from what was stored."""
    return [f"{name} was {stored.get(name)}" for name in sorted({*measured, *stored}) if not _same(measured.get(name), stored.get(name))]


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=TOLERANCE)
    return bool(one == other)


if __name__ == "__main__":
    sys.exit(main())
