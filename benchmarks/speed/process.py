"""One run of a command, measured from outside: wall time, processor time and peak memory of the whole process tree's largest member.

This module and what imports it stay small on purpose: until a child has replaced its image, the kernel counts the parent's pages as
the child's peak.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# ru_maxrss is in kilobytes on Linux and in bytes on macOS.
_MEGABYTE = 1024 * 1024 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Run:
    wall: float
    cpu: float
    megabytes: float
    status: int


def run(command: Sequence[str], folder: Path) -> Run:
    """Start a command, throw its output away, wait for it and everything it waited for."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        actions = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
        # A switched-off bytecode cache would make every run compile what it imports.
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PWD": str(folder)}
        started = time.perf_counter()
        child = os.posix_spawn(command[0], list(command), environment, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
        wall = time.perf_counter() - started
    finally:
        os.close(null)
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / _MEGABYTE, os.waitstatus_to_exitcode(status))


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians of several runs; `status` is the exit code they all had, or the first one that differed."""

    wall: float
    spread: float
    cpu: float
    megabytes: float
    status: int
    runs: int


def measured(runs: Sequence[Run]) -> Measured:
    walls = sorted(r.wall for r in runs)
    statuses = [r.status for r in runs]
    return Measured(
        wall=statistics.median(walls),
        spread=walls[-1] - walls[0],
        cpu=statistics.median(r.cpu for r in runs),
        megabytes=max(r.megabytes for r in runs),
        status=next((s for s in statuses if s != statuses[0]), statuses[0]),
        runs=len(runs),
    )


def compare(commands: dict[str, list[str]], rounds: int, warm: bool = True) -> dict[str, Measured]:
    """Every command `rounds` times in turn, so that a slow spell hits all alike; before that once unmeasured, for the caches of files and
    bytecode, where `warm` asks for it."""
    with tempfile.TemporaryDirectory(prefix="speed-") as name:
        folder = Path(name)
        if warm:
            for command in commands.values():
                run(command, folder)
        runs: dict[str, list[Run]] = {key: [] for key in commands}
        for _ in range(rounds):
            for key, command in commands.items():
                runs[key].append(run(command, folder))
    return {key: measured(found) for key, found in runs.items()}
