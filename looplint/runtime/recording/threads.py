"""Which thread is recorded where a script trains in several: the first that does.

A backward replaces gradients while other threads run, so that to read those that another thread trains ends the process. From the moment at which a
second thread trains, the others are no longer recorded, and the first one measures only what its own calls have used.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from looplint.runtime.recording.limits import Limits
    from looplint.runtime.recording.tape import Tape

WAITING = 1.0  # seconds


class Guard:
    """A lock around measurements of what any thread may train. A thread that begins to train waits for those that are running, but not for long:
    they may set off a finalizer of the script that waits for this thread."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire(timeout=WAITING)

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(RuntimeError):  # it was waited for in vain
            self._lock.release()


class Threads:
    """The thread that is recorded."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._first: weakref.ref[threading.Thread] | None = None
        self.guard = Guard()
        self.several = False  # whether a second one trained while the first was alive

    @property
    def foreign(self) -> bool:
        """Whether what lives in the process may be trained by another thread than this one."""
        return self.several or (self._first is not None and not self._tape.local.trains)

    def begin(self) -> None:
        """Called before each backward of a thread that is not known to train."""
        tape, local = self._tape, self._tape.local
        # Autograd calls hooks in threads of its own, for the thread whose backward it runs: those are none of Python's.
        mine = next((thread for thread in threading.enumerate() if thread.ident == threading.get_ident()), None)
        if mine is None or local.passed_over:
            return
        with self.guard:
            first = self._first() if self._first is not None else None
            if not self.several and (first is None or not first.is_alive()):
                self._first, local.trains = weakref.ref(mine), True
                return
            self.several = local.passed_over = True
            local.busy += 1  # for good: the hooks are silent in this thread
            tape.loops[:] = [entry for entry in tape.loops if entry[2] != local.thread]
            tape.write({"record": "thread", "number": local.thread})


def install(tape: Tape, limits: Limits) -> None:
    """Notes which threads train, before any other hook of theirs is called."""

    def noted(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def run(*args: Any, **kwargs: Any) -> Any:
            if torch.compiler.is_compiling() or tape.local.trains:
                return original(*args, **kwargs)
            if not tape.closed:
                tape.threads.begin()
            if tape.closed or tape.local.passed_over:
                limits.stop()
            return original(*args, **kwargs)

        return run

    engine: Any = torch.autograd
    engine.backward, engine.grad = noted(engine.backward), noted(engine.grad)
    reported = threading.excepthook

    def report(ended: Any) -> None:
        if not limits.is_limit(ended.exc_type):
            reported(ended)

    threading.excepthook = report
