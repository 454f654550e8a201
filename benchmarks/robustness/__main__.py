"""`python -m benchmarks.robustness`: how time and memory grow with generated programs, family by family.

Each family grows in one respect: brackets in brackets, a chain of calls, blank lines. A program of each size is linted with all rules by a process of its
own, which has little memory and not much time. Stated are the largest size, the processor time and memory beyond those of an empty file, the growth exponent
between the two largest sizes (1 is linear), and how the run ended. The exit code is 1 where a process died, ran out of time, or grew faster than allowed.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.robustness.families import ENDINGS, FAMILIES
from looplint.linting.catalogue import load
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection

# The bytes of the largest program of a family, about.
_LARGEST = 64_000
# Time and memory below which a growth exponent says nothing.
_LEAST_SECONDS, _LEAST_MEGABYTES = 1.0, 30.0
_MOST_EXPONENT = 1.35
_SECONDS, _GIGABYTES = 60, 3


@dataclass(frozen=True)
class Run:
    """One program linted: its size in bytes, processor time in seconds, memory in MB, and how it ended."""

    size: int
    seconds: float
    megabytes: float
    ended: str

    @property
    def survived(self) -> bool:
        return self.ended in ("linted", "refused")


@dataclass(frozen=True)
class Growth:
    """A family, at half and at full size."""

    name: str
    half: Run
    full: Run

    @property
    def time(self) -> float | None:
        """The exponent with which time grows; none where there is too little of it to tell, or the largest program was refused."""
        return self._exponent(self.half.seconds, self.full.seconds, _LEAST_SECONDS)

    @property
    def memory(self) -> float | None:
        return self._exponent(self.half.megabytes, self.full.megabytes, _LEAST_MEGABYTES)

    def _exponent(self, half: float, full: float, least: float) -> float | None:
        if full < least or self.half.ended != self.full.ended:
            return None
        return math.log(full / max(half, 1e-3)) / math.log(self.full.size / self.half.size)

    @property
    def holds(self) -> bool:
        fast = (exponent is None or exponent <= _MOST_EXPONENT for exponent in (self.time, self.memory))
        return self.half.survived and self.full.survived and all(fast)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness", description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="all where none is given")
    parser.add_argument("--bytes", type=int, default=_LARGEST, metavar="N", help=f"the largest program of each family (default {_LARGEST})")
    options = parser.parse_args(arguments)
    failed = []
    print(f"{'family':38} {'bytes':>9} {'seconds':>8} {'MB':>6} {'time':>5} {'memory':>6}  ended")
    for growth in measured(options.families or list(FAMILIES), options.bytes):
        print(
            f"{growth.name:38} {growth.full.size:9} {growth.full.seconds:8.2f} {growth.full.megabytes:6.0f} "
            f"{_written(growth.time):>5} {_written(growth.memory):>6}  {growth.full.ended}{'' if growth.holds else '  <-- FAILS'}",
            flush=True,
        )
        if not growth.holds:
            failed.append(growth.name)
    print(f"{len(failed)} families die, run out of time or grow faster than size ** {_MOST_EXPONENT}: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def _written(exponent: float | None) -> str:
    return "" if exponent is None else f"{exponent:.1f}"


def measured(names: Sequence[str], largest: int) -> Iterator[Growth]:
    """Each family at half and at full size, beyond what an empty program costs."""
    load()
    base = lint("import torch\nnet.train()\n", ".py", Run(0, 0.0, 0.0, ""))
    for name in names:
        make = FAMILIES[name]
        unit = max(1, (len(make(64)) - len(make(32))) // 32)
        # Blocks in blocks take more, the deeper they are.
        count = max(2, largest // unit)
        while count > 2 and len(make(count)) > 2 * largest:
            count //= 2
        half, full = (lint(make(n), ENDINGS.get(name, ".py"), base) for n in (count // 2, count))
        yield Growth(name, half, full)


def lint(text: str, ending: str, base: Run) -> Run:
    """Lint a program in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"train{ending}"
        path.write_bytes(text.encode())
        child = os.fork()
        if not child:
            _child(path)
        _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    megabytes = used.ru_maxrss / (1024 if sys.platform != "darwin" else 1_000_000)
    return Run(len(text.encode()), max(0.0, seconds - base.seconds), max(0.0, megabytes - base.megabytes), _ended(status))


def _ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "out of time" if number == signal.SIGXCPU else f"died: {signal.Signals(number).name}"
    return {0: "linted", 2: "refused", 3: "internal error", 4: "out of memory"}.get(os.WEXITSTATUS(status), "died")


def _child(path: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (_GIGABYTES << 30, _GIGABYTES << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    code = 3
    try:
        problems = lint_paths([str(path)], Selection(select=("ALL",)), jobs=1).problems
        messages = " ".join(p.message for p in problems)
        code = 3 if "internal error" in messages else 4 if "memory" in messages else 2 if problems else 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
