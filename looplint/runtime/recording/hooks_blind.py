"""Notes what hides steps from the recorder: compiled functions and further processes."""

from __future__ import annotations

from multiprocessing.process import BaseProcess
from typing import Any

import torch

from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook


def install(tape: Tape) -> None:
    def compiled(*args: Any, **kwargs: Any) -> Watching:
        if (yield None).error is None:
            tape.write({"record": "compiled", "at": tape.place()})

    def started(process: Any) -> Watching:
        # The workers of a loader train nothing.
        if (yield None).error is None and "_worker_loop" not in getattr(getattr(process, "_target", None), "__name__", ""):
            tape.write({"record": "process", "at": tape.place()})

    hook(tape, "processes", torch, "compile", compiled)
    hook(tape, "processes", BaseProcess, "start", started)
