"""`python -m benchmarks.planted --checkouts DIR`: plant bugs in repositories by syntax alone, and count how many looplint reports.

Each planted file is linted together with the files that import it. A bug counts as found where a rule that should report it has more findings than
before. The sample is the same for the same repositories: it is drawn by digests, evenly over repositories and kinds of bugs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks.already_read import warn
from benchmarks.checkouts import python_files
from benchmarks.figures import add_option, store
from benchmarks.planted.planting import Plant, plants

_ASK = Path(__file__).with_name("ask.py")
_LARGEST = 200_000
_CALLERS = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """A planted bug and whether it was found; `reason` where linting failed."""

    repository: str
    path: str
    plant: Plant
    found: bool
    reason: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planted", description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True, help="a folder with a folder for each repository")
    parser.add_argument("--per-repository", type=int, default=6, metavar="N", help="bugs planted in one repository, at the most")
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="for one planted file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--misses", type=Path, metavar="FILE", help="write the bugs that were missed to a file")
    add_option(parser)
    options = parser.parse_args(arguments)
    repositories = sorted(p for p in options.checkouts.iterdir() if p.is_dir())
    warn(repositories)
    outcomes: list[Outcome] = []
    kept = options.misses.open("w", encoding="utf-8") if options.misses else nullcontext()
    with ThreadPoolExecutor(options.jobs) as pool, kept as misses:
        for done, found in enumerate(pool.map(lambda r: look(r, options.per_repository, options.timeout), repositories), 1):
            outcomes += found
            print(f"\r{done}/{len(repositories)} repositories, {len(outcomes)} bugs", end="", file=sys.stderr)
            if misses is not None:
                misses.writelines(map(_told, (o for o in found if not o.found)))
                misses.flush()  # a round that is cut off leaves what it knows
    print(file=sys.stderr)
    print(table(outcomes))
    if options.store:
        with_bugs = {o.repository for o in outcomes}
        store("planted", {"repositories": len(with_bugs), "bugs": len(outcomes), "found": sum(o.found for o in outcomes)})
    return 0


def look(repository: Path, most: int, timeout: float) -> list[Outcome]:
    """Plant bugs in a copy of a repository, one after the other, and lint it."""
    chosen = choose(repository, most)
    if not chosen:
        return []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / repository.name
        shutil.copytree(repository, copy, ignore=_not_python, symlinks=True)
        lint = Linter(timeout)
        outcomes = []
        callers: dict[str, list[str]] = {}
        counts: dict[str, Mapping[str, int] | str] = {}
        for path, plant in chosen:
            here = copy / path
            files = callers.setdefault(path, [str(here), *importers(copy, here)])
            if path not in counts:
                counts[path] = lint.ask(files, here, here.read_text(encoding="utf-8"))
            before, after = counts[path], lint.ask(files, here, plant.text)
            if isinstance(before, str) or isinstance(after, str):
                outcomes.append(Outcome(repository.name, path, plant, False, after if isinstance(after, str) else str(before)))
            else:
                outcomes.append(Outcome(repository.name, path, plant, any(after.get(c, 0) > before.get(c, 0) for c in plant.codes)))
        lint.close()
    return outcomes


def _not_python(folder: str, names: list[str]) -> set[str]:
    return {n for n in names if not n.endswith((".py", ".toml", ".cfg")) and not (Path(folder) / n).is_dir()}


def choose(repository: Path, most: int) -> list[tuple[str, Plant]]:
    """Bugs to plant: the first by digest, one of each kind before a second one of any, no file more often than it must be."""
    by_category: dict[str, list[tuple[str, str, Plant]]] = defaultdict(list)
    for path in python_files(repository):
        if path.stat().st_size > _LARGEST:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue
        if "backward(" not in text and ".eval()" not in text and "no_grad" not in text:
            continue
        name = path.relative_to(repository).as_posix()
        try:
            for plant in plants(text):
                key = blake2b(f"{repository.name}/{name}:{plant.row}:{plant.category}".encode()).hexdigest()
                by_category[plant.category].append((key, name, plant))
        except (SyntaxError, ValueError, RecursionError):
            continue
    rounds = [sorted(found, key=lambda f: f[0]) for found in by_category.values()]
    rounds.sort(key=lambda found: found[0][0])
    picked = [found[n] for n in range(most) for found in rounds if n < len(found)]
    return [(name, plant) for _, name, plant in picked[:most]]


def importers(root: Path, path: Path) -> list[str]:
    """The files that import a module by its name, the nearest first, and then those that import the package that hands on what it defines.

    A package goes by the name of its folder. Whoever imports that may want another of its modules: they have half of the places at the most.
    """
    direct = _nearest(root, path)
    packages = [each for each in direct if each.stem == "__init__" and each.parent == path.parent]
    through = [each for package in packages for each in _nearest(root, package) if each not in (path, *direct)]
    callers = [each for each in direct if each not in packages]
    kept = callers[: _CALLERS - min(len(through), _CALLERS // 2)]
    return [str(each) for each in dict.fromkeys((*kept, *through, *packages))][:_CALLERS]


def _nearest(root: Path, path: Path) -> list[Path]:
    """The files that import a module by its name, those first that share most folders with it."""
    name = path.parent.name if path.stem == "__init__" else path.stem
    pattern = re.compile(rf"^\s*(?:from|import)\s+[^#\n]*\b{re.escape(name)}\b", re.MULTILINE)
    found = []
    for other in root.rglob("*.py"):
        try:
            if other != path and other.is_file() and pattern.search(other.read_text(encoding="utf-8", errors="replace")):
                found.append(other)
        except OSError:
            continue
    return sorted(found, key=lambda each: (-_shared(each, path), str(each)))


def _shared(one: Path, other: Path) -> int:
    """In how many folders two files are, from the outermost."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one.parent.parts, other.parent.parts, strict=False)))


class Linter:
    """A process that lints, started anew where one does not answer in time."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._process: subprocess.Popen[str] | None = None

    def ask(self, files: Sequence[str], path: Path, text: str) -> Mapping[str, int] | str:
        """The number of findings of each rule, or why there are none."""
        process = self._process = self._process or subprocess.Popen(
            [sys.executable, str(_ASK)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(self._timeout, process.kill)
        original = path.read_bytes()
        timer.start()
        try:
            process.stdin.write(json.dumps({"files": list(files), "replace": [str(path), text]}) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self.close()
            path.write_bytes(original)
            return f"no answer in {self._timeout:.0f} s"
        answer: dict[str, Any] = json.loads(line)
        return answer["found"] if "found" in answer else str(answer["error"])

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def table(outcomes: Iterable[Outcome]) -> str:
    """A row a kind of bug, and the sum."""
    outcomes = list(outcomes)
    all_of, found = Counter(o.plant.category for o in outcomes), Counter(o.plant.category for o in outcomes if o.found)
    rows = [f"{'kind of bug':40} {'planted':>7} {'found':>7}"]
    rows += [f"{name:40} {all_of[name]:7} {found[name]:7} {100 * found[name] / all_of[name]:5.0f} %" for name in sorted(all_of)]
    total = len(outcomes)
    rows.append(f"{'all':40} {total:7} {sum(found.values()):7} {100 * sum(found.values()) / total if total else 0:5.0f} %")
    failed = Counter(o.reason.partition(":")[0] for o in outcomes if o.reason)
    rows += [f"not linted: {reason}: {count}" for reason, count in failed.items()]
    return "\n".join([*rows, f"{len({o.repository for o in outcomes})} repositories"])


def _told(outcome: Outcome) -> str:
    return f"{outcome.repository}/{outcome.path}:{outcome.plant.row}: {outcome.plant.category} {sorted(outcome.plant.codes)} {outcome.reason}\n"


if __name__ == "__main__":
    sys.exit(main())
