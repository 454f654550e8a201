"""`python -m benchmarks.seeds [PATH ...]`: lint the same programs under many seeds of Python's hashes, and print what differs.

One command on one file has one result. Where anything in an analysis goes over a set whose order hangs on the hashes of text or on addresses, two
processes may say different things. PATH are files and folders (the fixtures where none is given); the exit code is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from looplint.linting.catalogue import Rule, folder, load
from looplint.linting.files import analyse
from looplint.sources.reading import read_source

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seeds", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="how many (default 20)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="so many processes at a time (default 2)")
    options = parser.parse_args(arguments)
    files = [
        f.resolve() for path in options.paths or [folder("fixtures")] for f in (sorted(path.rglob("*.py")) if path.is_dir() else [path])
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        outputs = list(pool.map(lambda seed: said_under(seed, files), range(options.seeds)))
    differing = [str(file) for file in files if len({json.dumps(each[str(file)]) for each in outputs}) > 1]
    for file in differing:
        print(file)
        for line in sorted({line for each in outputs for line in each[file]}):
            count = sum(line in each[file] for each in outputs)
            if count < len(outputs):
                print(f"  under {count} of {len(outputs)} seeds: {line}")
    print(f"{len(differing)} of {len(files)} files differ under {options.seeds} seeds")
    return 1 if differing else 0


def said_under(seed: int, files: Sequence[Path]) -> dict[str, list[str]]:
    """What a process of its own says of each file, all rules asked."""
    command = [sys.executable, "-c", "from benchmarks.seeds.__main__ import answer; answer()"]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, input=json.dumps([str(f) for f in files]), env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def answer() -> None:
    """In the process of one seed: the files come in, what is said of them goes out."""
    json.dump({name: list(said_of(Path(name))) for name in json.load(sys.stdin)}, sys.stdout)


@cache
def _rules() -> list[Rule]:
    return load()


def said_of(file: Path) -> Iterator[str]:
    """What is said of a file, by all rules: findings with their related places and repairs, and problems."""
    result = analyse(read_source(file), _rules())
    yield from map(repr, result.findings)
    yield from map(repr, result.problems)


if __name__ == "__main__":
    sys.exit(main())
