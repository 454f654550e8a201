"""`python -m benchmarks.robustness.campaigns NAME`: many programs and many accidents, counted.

library    the standard library's files, each analysed with all rules whether or not it can hold a training loop
installed  files of site-packages, or of `--folder`, in an order that is the same each time
loops      programs made of what training loops are made of, at random
grammar    programs that hypothesmith (pip install hypothesmith) makes of Python's grammar
kills      `--fix` killed (SIGKILL) at a random time: each file is as before or as repaired, and the next run ends as the first would have
full       `--fix` where no file can grow beyond a random size, as on a full disk: each file is as before or as repaired, and nothing else is left
flips      a bit of every byte of an entry of the cache changed: what is found stays the same

Each program is analysed by a process of its own, with limits on processor time and memory. `--minutes` ends a campaign early; files are taken in a random
order that is the same each time, so that a part of them is a sample. `--store` keeps the counts in results.json, beside this file, and `--resume` goes on
where the stored ones ended, with the same `--folder`: a long campaign needs not be one run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import random
import resource
import signal
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from benchmarks.robustness.families import HEAD, LOOP
from benchmarks.robustness.programs import from_grammar, loop_shaped
from looplint.linting.cache import Cache
from looplint.linting.catalogue import load
from looplint.linting.edits import write
from looplint.linting.files import LintResult, analyse, lint_paths
from looplint.linting.fixing import fix_paths
from looplint.linting.selection import Selection
from looplint.sources.reading import Source, SourceError, decode, read_source

RESULTS = Path(__file__).with_name("results.json")
_SECONDS, _GIGABYTES = 60, 4
T = TypeVar("T")
# When a campaign has to end, on the clock of `time.monotonic`.
_ends = math.inf
# Where the packages are, where not in the running Python's own site-packages.
_folders: list[Path] = []
# How often the counts of a run are kept, in programs.
_KEPT_EVERY = 200
# A program with one repair.
_BROKEN = f"{HEAD}{LOOP}".replace("    opt.zero_grad()\n", "")
# How a process ends, by its status.
_FOUND = ("analysed", "refused", "internal error", "out of memory")


@dataclass
class Counts:
    """How the programs of a campaign ended, which went wrong, and how long the longest took (processor seconds)."""

    ended: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0

    def add(self, name: str, ended: str, seconds: float = 0.0, fine: bool = True) -> None:
        self.ended[ended] += 1
        self.longest = max(self.longest, seconds)
        if not fine:
            self.wrong.append(f"{name}: {ended}")
            print(f"{name}: {ended}", flush=True)


# What an earlier run has counted, of the programs that come first, and where the counts are kept from time to time.
_before = Counts()
_keep: Callable[[Counts], None] = lambda counts: None  # noqa: E731


def analysed(programs: Iterable[tuple[str, Callable[[], Source]]]) -> Counts:
    """Analyse each program with all rules in a process of its own."""
    counts = Counts(Counter(_before.ended), [*_before.wrong], _before.longest)
    rules = load()
    warm = decode(f"{HEAD}{LOOP}".encode(), None, "train.py")
    analyse(warm, rules)  # what is imported and built once is there for every process
    for number, (name, source) in enumerate(_until_the_end(islice(programs, counts.ended.total(), None)), 1):
        child = os.fork()
        if not child:
            _analyse(source)
        _, status, used = os.wait4(child, 0)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            ended = "out of time" if number == signal.SIGXCPU else f"died: {signal.Signals(number).name}"
        else:
            ended = _FOUND[os.WEXITSTATUS(status)] if os.WEXITSTATUS(status) < len(_FOUND) else "died"
        counts.add(name, ended, used.ru_utime + used.ru_stime, ended in ("analysed", "refused"))
        if number % _KEPT_EVERY == 0:
            _keep(counts)
    return counts


def _analyse(source: Callable[[], Source]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_GIGABYTES << 30, _GIGABYTES << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = 2
    try:
        messages = " ".join(problem.message for problem in analyse(source(), load()).problems)
        code = 2 if "internal error" in messages else 3 if "more memory" in messages else 1 if messages else 0
    except SourceError:
        code = 1
    finally:
        os._exit(code)


def _files(paths: Iterable[Path]) -> Iterator[tuple[str, Callable[[], Source]]]:
    return ((str(path), partial(read_source, path)) for path in paths)


def library(count: int) -> Counts:
    folder = Path(sysconfig.get_paths()["stdlib"])
    return analysed(_files(_shuffled((p for p in folder.rglob("*.py") if "site-packages" not in p.parts), count)))


def installed(count: int) -> Counts:
    folders = _folders or [Path(sysconfig.get_paths()["purelib"])]
    return analysed(_files(_shuffled((path for folder in folders for path in folder.rglob("*.py") if path.is_file()), count)))


def _shuffled(paths: Iterable[Path], count: int) -> list[Path]:
    found = sorted(paths)
    random.Random(0).shuffle(found)
    return found[:count]


def _until_the_end(each: Iterable[T]) -> Iterator[T]:
    """As many as there is time for."""
    for one in each:
        if time.monotonic() > _ends:
            return
        yield one


def _made(texts: Iterable[str]) -> Counts:
    return analysed((f"program {n}", partial(decode, text.encode(), None, "made.py")) for n, text in enumerate(texts))


def loops(count: int) -> Counts:
    return _made(map(loop_shaped, range(count)))


def grammar(count: int) -> Counts:
    return _made(from_grammar(count))


def kills(count: int) -> Counts:
    """Kill `--fix` at a random time, again and again."""
    names = [f"train{n}.py" for n in range(6)]
    draw, counts = random.Random(0), Counts()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.chdir(folder)
        for name in names:
            (folder / name).write_text(_BROKEN)
        repaired = {new.text for _, new in fix_paths(["."], jobs=1).changed}
        (whole,) = repaired
        began = time.monotonic()
        _in_a_process(_fix)
        lasts = time.monotonic() - began
        for number in _until_the_end(range(count)):
            for name in names:
                (folder / name).write_text(_BROKEN)
            _in_a_process(_fix, killed_after=draw.uniform(0, lasts))
            texts = [(folder / name).read_text() for name in names]
            left = [path.name for path in folder.iterdir() if ".looplint-" in path.name]
            torn = [text for text in texts if text not in (_BROKEN, whole)]
            _in_a_process(_fix)
            ended = {(folder / name).read_text() for name in names}
            done = sum(text == whole for text in texts)
            state = "torn" if torn else "not repaired afterwards" if ended != {whole} else f"{done} of {len(names)} files written"
            counts.add(f"kill {number}", state, fine=not torn and ended == {whole})
            counts.ended["left a file being written"] += bool(left)
            for name in left:
                (folder / name).unlink()
    return counts


def full(count: int) -> Counts:
    """Repair where what is written does not fit."""
    draw, counts = random.Random(0), Counts()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.chdir(folder)
        texts = {f"train{n}.py": f"{_BROKEN}# {'long ' * 40 * n}\n" for n in range(6)}
        for name, text in texts.items():
            (folder / name).write_text(text)
        whole = {new.display: new.text for _, new in fix_paths(["."], jobs=1).changed}
        largest = max(map(len, whole.values()))
        for number in _until_the_end(range(count)):
            for name, text in texts.items():
                (folder / name).write_text(text)
            room = draw.randrange(largest + 100)

            def fix(room: int = room) -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
                _fix()

            _in_a_process(fix)
            now = {name: (folder / name).read_text() for name in texts}
            torn = any(text not in (texts[name], whole[name]) for name, text in now.items())
            left = {path.name for path in folder.iterdir()} - texts.keys() - {".looplint_cache"}
            written = sum(now[name] == whole[name] for name in texts)
            fits = sum(len(text) <= room for text in whole.values())
            state = (
                "torn"
                if torn
                else f"left {sorted(left)}"
                if left
                else "as much as fits"
                if written == fits
                else f"{written} of {fits} that fit"
            )
            counts.add(f"room for {room} bytes, {number}", state, fine=state == "as much as fits")
    return counts


def _fix() -> None:
    for old, new in fix_paths(["."], cache=Cache(Path(".looplint_cache")), jobs=1).changed:
        write(old, new)


def _in_a_process(work: Callable[[], None], killed_after: float | None = None) -> None:
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(0)
    if killed_after is not None:
        time.sleep(killed_after)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def flips(count: int) -> Counts:
    """Change one bit of every byte of an entry (of the first so many)."""
    counts = Counts()
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        Path("train.py").write_text(_BROKEN)

        def lint() -> LintResult:
            return lint_paths(["train.py"], Selection(), cache=Cache(Path("cache")), jobs=1)

        expected = lint()
        (entry,) = Path("cache").rglob("*.json")
        whole = entry.read_bytes()
        draw = random.Random(0)
        for place in _until_the_end(range(min(count, len(whole)))):
            changed = whole[place] ^ (1 << draw.randrange(8))
            entry.write_bytes(whole[:place] + bytes([changed]) + whole[place + 1 :])
            fine = lint() == expected
            counts.add(f"byte {place} is {changed:#x}", "right" if fine else "wrong", fine=fine)
    return counts


# Each with how many it takes where nothing is said.
CAMPAIGNS: dict[str, tuple[Callable[[int], Counts], int]] = {
    "library": (library, 10_000),
    "installed": (installed, 1_000),
    "loops": (loops, 5_000),
    "grammar": (grammar, 1_000),
    "kills": (kills, 500),
    "full": (full, 200),
    "flips": (flips, 100_000),
}


# Those that another run can go on with: programs in an order of their own.
_RESUMED = ("library", "installed", "loops", "grammar")


def main() -> int:
    global _before, _ends, _keep
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.campaigns", description=__doc__.partition("\n")[0] if __doc__ else ""
    )
    parser.add_argument("campaign", choices=CAMPAIGNS)
    parser.add_argument("--count", type=int, metavar="N", help="how many programs, kills or bytes")
    parser.add_argument("--minutes", type=float, metavar="M", help="end after so many minutes, with what was done by then")
    parser.add_argument("--store", action="store_true", help=f"keep the counts in {RESULTS.name}")
    parser.add_argument("--resume", action="store_true", help=f"go on after the programs that {RESULTS.name} counts, and add to them")
    parser.add_argument(
        "--folder", type=Path, action="append", default=[], metavar="DIR", help="where `installed` finds packages; may be repeated"
    )
    options = parser.parse_args()
    if options.resume and options.campaign not in _RESUMED:
        parser.error(f"--resume is for {', '.join(_RESUMED)}")
    _folders[:] = options.folder
    run, usual = CAMPAIGNS[options.campaign]
    here = Path.cwd()
    began = time.monotonic()
    _ends = began + 60 * options.minutes if options.minutes else math.inf
    _before = _stored(options.campaign) if options.resume else Counts()
    if options.store:
        _keep = partial(_store, options.campaign)
    counts = run(options.count or usual)
    os.chdir(here)
    total = dict(counts.ended.most_common())
    print(
        f"{options.campaign}: {total}; {len(counts.wrong)} went wrong; the longest took {counts.longest:.1f} s; in all {time.monotonic() - began:.0f} s"
    )
    _keep(counts)
    return 1 if counts.wrong else 0


def _stored(campaign: str) -> Counts:
    kept = json.loads(RESULTS.read_text())[campaign]
    return Counts(Counter(kept["ended"]), kept["wrong"], kept["longest_seconds"])


def _store(campaign: str, counts: Counts) -> None:
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    total = dict(counts.ended.most_common())
    kept[campaign] = {"ended": total, "wrong": counts.wrong, "longest_seconds": round(counts.longest, 1), "machine": machine}
    RESULTS.write_text(json.dumps(dict(sorted(kept.items())), indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
