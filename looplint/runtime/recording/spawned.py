"""The first of the processes that a script starts are recorded too, each in a stream of its own.

Where the script's own process took no step, that of the first one which did is read: what `torch.multiprocessing.spawn` starts first is the process with
the rank 0; other programs start one that measures or collects before those that train.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, TypeAlias

from looplint.runtime.recording.limits import StepLimit
from looplint.runtime.recording.probes import Sources
from looplint.runtime.recording.tape import SPAWNED, Tape
from looplint.runtime.recording.watching import Watching, hook

MOST = 8  # processes that are recorded

# What starts processes for its own ends: workers of loaders and pools, servers of shared objects.
_HELPERS = ("torch.utils.data.", "multiprocessing.", "concurrent.")


class Recorder(Protocol):
    """What writes the end of a recording."""

    def finish(self, end: dict[str, Any]) -> None: ...


# Opens a stream and installs the hooks of a process.
Record: TypeAlias = Callable[[dict[str, Any], Sources], Recorder]


class Recorded:
    """Wraps the function of a process and records what it does. It is pickled for that process."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], record: Record, number: int) -> None:
        self.function, self.options, self.record, self.number = function, options, record, number

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        path = self.options["stream"]
        recorder = self.record({**self.options, "stream": f"{path}{SPAWNED}{self.number}"}, Sources({}, {}))
        end: dict[str, Any] = {"record": "end", "outcome": "finished", "exit": 0}
        try:
            return self.function(*args, **kwargs)
        except StepLimit as limit:
            end.update(outcome="step-limit", message=str(limit))
        except BaseException as error:
            end.update(outcome="crashed", exit=1, error={"type": type(error).__name__, "message": str(error)[:2000], "frames": []})
            raise
        finally:
            recorder.finish(end)
        # The script's own process ends the others, which wait for this one.
        with open(path + SPAWNED + ".stop", "w", encoding="utf-8") as stream:
            stream.write(end["message"])
        os.kill(os.getppid(), signal.SIGUSR2)
        return None


def install(tape: Tape, options: dict[str, Any], record: Record) -> None:
    """Records the first processes that are started, and notes each.

    They are not recorded where passes are cut short: they would no longer have the same number of batches. Those that they start are not recorded either.
    """
    started = 0
    whole = not (options.get("epochs") or options.get("batches") or SPAWNED in os.path.basename(options["stream"]))
    possible = whole and hasattr(signal, "SIGUSR2") and importlib.util.find_spec("looplint") is not None

    def watch(process: Any) -> Watching:
        target = getattr(process, "_target", None)
        if target is None or str(getattr(target, "__module__", "")).startswith(_HELPERS):
            return
        nonlocal started
        started += 1
        recorded = possible and started <= MOST
        if recorded:
            kept = ("script", "arguments", "seed", "own", "steps", "stream", "costs", "whole", "outputs")
            process._target = Recorded(target, {key: options[key] for key in kept if key in options}, record, started)
        outcome = yield None
        if recorded:
            process._target = target
        if outcome.error is None:
            tape.write({"record": "process", "at": tape.place()})

    hook(tape, "processes", BaseProcess, "start", watch)


def stopped(path: str) -> str:
    """The limit at which the recorded process was ended; empty where it was not."""
    try:
        with open(path + SPAWNED + ".stop", encoding="utf-8") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""


def end_children() -> None:
    """Ends the processes of a script that ends early: they would wait for each other."""
    if (processes := sys.modules.get("multiprocessing")) is not None:
        for process in processes.active_children():
            process.kill()
