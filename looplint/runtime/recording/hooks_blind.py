"""Notes what hides steps from the recorder: compiled functions."""

from __future__ import annotations

from typing import Any

import torch

from looplint.runtime.recording.tape import Tape
from looplint.runtime.recording.watching import Watching, hook


def install(tape: Tape) -> None:
    def compiled(*args: Any, **kwargs: Any) -> Watching:
        if (yield None).error is None:
            tape.write({"record": "compiled", "at": tape.place()})

    hook(tape, "processes", torch, "compile", compiled)
