"""`python -m benchmarks.first_reading --checkouts DIR --out DIR`: measure a round, and write down what is to be read.

Each repository is linted (what is understood of it, and every finding) and gets bugs planted, the smallest first. What is known of one is written at once:
a round that is cut off goes on where it was, and several runs share the work. `OUT/findings.tsv` has the errors and warnings, with columns for who judges
them: whether each holds, whether it is worth acting on, whether its repair is right, and why.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.already_read import warn
from benchmarks.planted.__main__ import look as plant
from benchmarks.understanding.__main__ import Repository, details, table
from benchmarks.understanding.__main__ import look as lint

ASK = (sys.executable, str(Path(__file__).with_name("ask.py")))
COLUMNS = ("repository", "file", "row", "code", "severity", "repair", "message", "holds", "worth", "repair is", "why")


@dataclass(frozen=True, slots=True)
class Planted:
    """A bug that was planted in a file, and whether it was found."""

    path: str
    row: int
    category: str
    codes: tuple[str, ...]
    found: bool
    reason: str


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.first_reading", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkouts", type=Path, required=True, help="a folder with a folder for each repository")
    parser.add_argument("--out", type=Path, required=True, help="where what is known of each repository is kept")
    parser.add_argument(
        "--per-repository", type=int, default=6, metavar="N", help="bugs planted in one repository, at the most; 0 for none"
    )
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="SECONDS", help="for linting one repository; a fifth of it for one planted file"
    )
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    folders = sorted((p for p in options.checkouts.iterdir() if p.is_dir()), key=_size)
    warn(folders)
    for number, folder in enumerate(folders, 1):
        _measure(folder, options.out, options.per_repository, options.timeout)
        print(f"\r{number}/{len(folders)} repositories", end="", file=sys.stderr)
    print(file=sys.stderr)
    repositories, planted = read(options.out)
    print(table(repositories))
    print("\n".join(details(repositories)))
    print(_missed(planted))
    with (options.out / "findings.tsv").open("w", encoding="utf-8", newline="") as file:
        written = csv.writer(file, delimiter="\t", lineterminator="\n")
        written.writerow(COLUMNS)
        written.writerows(to_judge(repositories))
    return 0


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.py") if path.is_file())


def _measure(folder: Path, out: Path, bugs: int, timeout: float) -> None:
    """Write down what is known of a repository, unless another run has it, or is at it."""
    busy, said, found = (out / f"{folder.name}{ending}" for ending in (".busy", ".json", ".planted.json"))
    try:
        busy.touch(exist_ok=False)
    except FileExistsError:
        return
    try:
        if not said.exists():
            said.write_text(json.dumps(asdict(lint(folder, timeout, ASK)), indent=1), encoding="utf-8")
        if bugs and not found.exists():
            outcomes = plant(folder, bugs, timeout / 5)
            planted = [Planted(o.path, o.plant.row, o.plant.category, tuple(o.plant.codes), o.found, o.reason) for o in outcomes]
            found.write_text(json.dumps([asdict(each) for each in planted], indent=1), encoding="utf-8")
    finally:
        busy.unlink()


def read(out: Path) -> tuple[list[Repository], dict[str, list[Planted]]]:
    """What is known of the repositories of a round, and of the bugs planted in each."""
    repositories, planted = [], {}
    for path in sorted(out.glob("*.json")):
        known: Any = json.loads(path.read_text(encoding="utf-8"))
        if path.name.endswith(".planted.json"):
            planted[path.name.removesuffix(".planted.json")] = [Planted(**{**each, "codes": tuple(each["codes"])}) for each in known]
        else:
            repositories.append(Repository(**{**known, "reasons": [tuple(reason) for reason in known["reasons"]]}))
    return repositories, planted


def to_judge(repositories: Sequence[Repository]) -> Iterator[tuple[object, ...]]:
    """A row for each error and warning, as far as the columns are filled before somebody reads it."""
    for repository in repositories:
        for finding in repository.findings:
            if finding["severity"] in ("error", "warning"):
                applicability = (finding["fix"] or {}).get("applicability", "none")
                place = finding["filename"], finding["location"]["row"], finding["code"], finding["severity"]
                yield (repository.name, *place, applicability, finding["message"], "", "", "", "")


def _missed(planted: dict[str, list[Planted]]) -> str:
    """The planted bugs that were not found, and how many were."""
    bugs = [(name, bug) for name, each in planted.items() for bug in each]
    lines = [f"{name}/{bug.path}:{bug.row} {bug.category} ({', '.join(bug.codes)}) {bug.reason}" for name, bug in bugs if not bug.found]
    found = sum(bug.found for _, bug in bugs)
    share = f" ({100 * found / len(bugs):.1f} %)" if bugs else ""
    return "\n".join([*lines, f"{found} of {len(bugs)} planted bugs found{share}, in {sum(map(bool, planted.values()))} repositories"])


if __name__ == "__main__":
    sys.exit(main())
