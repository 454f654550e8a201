"""`python -m benchmarks.surveys.drawing MIRRORS -o MANIFEST`: a random sample of the repositories that were ever read, as a manifest for a survey.

The names of `benchmarks/already_read.json` are put in order, and shuffled with a seed; the sample is the first of them that are at hand. `drawn.csv` is
the sample that docs/survey.md is about, with its commits: `--drawn` takes that one, at those commits, and does not draw.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from looplint.errors import UserError
from looplint.survey import trees

_HERE = Path(__file__).parent
DRAWN = _HERE / "drawn.csv"
_NAMES = _HERE.parent / "already_read.json"
_COLUMNS = ("name", "place", "commit")
# A mirror is a git directory, or a folder with one.
_PLACES = ("repo", "repo/.git", ".", ".git")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.surveys.drawing", description=__doc__)
    parser.add_argument("mirrors", type=Path, help="a folder with owner+name/repo, a git directory, for each repository")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the manifest (.csv)")
    parser.add_argument("--count", type=int, default=330, help="how many are drawn")
    parser.add_argument("--seed", type=int, default=18)
    parser.add_argument("--drawn", action="store_true", help="take the sample of docs/survey.md")
    options = parser.parse_args(arguments)
    if options.drawn:
        with DRAWN.open(encoding="utf-8", newline="") as file:
            wanted = {row["name"]: row["commit"] for row in csv.DictReader(file)}
    else:
        wanted = dict.fromkeys(order(json.loads(_NAMES.read_text(encoding="utf-8")), options.seed)[: options.count], "HEAD")
    rows, missing = manifest(wanted, options.mirrors)
    with options.output.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([_COLUMNS, *rows])
    print(f"{len(rows)} of {len(wanted)} repositories; not at hand: {', '.join(missing) or 'none'}", file=sys.stderr)
    return 0


def order(names: Sequence[str], seed: int) -> list[str]:
    """Names in an order that a seed decides, whatever order they come in."""
    found = sorted(names, key=str.casefold)
    random.Random(seed).shuffle(found)
    return found


def manifest(wanted: Mapping[str, str], mirrors: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    """The name, place and commit of each repository at hand, in order; and the names of those that are not, or do not have the commit.

    Args:
        wanted: the commit of each repository, by its name, owner/name.
        mirrors: a folder with a folder owner+name for each.
    """
    folders = {path.name.replace("+", "/", 1).lower(): path for path in mirrors.iterdir() if path.is_dir()}
    rows, missing = [], []
    for name, commit in wanted.items():
        folder = folders.get(name.lower())
        place = next((folder / place for place in _PLACES if trees.is_bare(folder / place)), None) if folder else None
        try:
            found = trees.identity(place, commit).partition("commit:")[2] if place else ""
        except UserError:
            found = ""
        if place and found:
            rows.append((name, str(place.resolve()), found))
        else:
            missing.append(name)
    return rows, missing


if __name__ == "__main__":
    sys.exit(main())
