"""The time and the memory that a task may take: what takes more is ended, and can be tried again."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from looplint.dataclass import dataclass

_PERIOD = 0.25
# On the clock a task may take so many times its processor time, and then so many seconds to end: it may wait for others, or hang.
_PATIENCE, _GRACE = 5, 20


class Exceeded(Exception):
    """A task took more time or memory than it may."""


class _Stop(BaseException):
    """Raised wherever a task is at; no handler of the analysis takes it for a fault of its own."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Processor seconds and bytes that a task may take."""

    seconds: float
    memory: int

    def __str__(self) -> str:
        return f"{self.seconds:g} s, {self.memory >> 20} MB"


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """Run a block within limits, in the main thread.

    Raises:
        Exceeded: it took more. A block that does not end after that ends with its process.
    """
    began = time.process_time()

    def look(_: int, __: FrameType | None) -> None:
        if time.process_time() - began > limits.seconds:
            _end(f"took more than {limits.seconds:g} s of processor time")
        elif resident() > limits.memory:
            _end(f"took more than {limits.memory >> 20} MB of memory")

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _PERIOD, _PERIOD)
    faulthandler.dump_traceback_later(limits.seconds * _PATIENCE + _GRACE, exit=True, file=2)
    try:
        yield
    except _Stop as stop:
        raise Exceeded(str(stop)) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


def _end(reason: str) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise _Stop(reason)


def resident() -> int:
    """The bytes of memory that this process has now; the most that it had, where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak()


def give_back() -> None:
    """Give the system the memory that is free. Of what a large text takes to be parsed, glibc keeps most with the process until it is told."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:  # other libraries give back by themselves
        return


def peak() -> int:
    """The most bytes of memory that this process had."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
