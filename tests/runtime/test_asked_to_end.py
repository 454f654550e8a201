"""A process that is asked to end where one that it started was ended does so once, however often it is asked."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from looplint.runtime.recording import hooks, limits, spawned


class Flushed:
    """What counts its flushes in the place of a tape."""

    def __init__(self) -> None:
        self.count = 0

    def flush(self) -> None:
        self.count += 1


@pytest.mark.skipif(not hasattr(signal, "SIGUSR2"), reason="there is no such signal here")
def test_a_second_request_while_it_ends_only_flushes(tmp_path: Path) -> None:
    stream = str(tmp_path / "stream")
    Path(stream + spawned.SPAWNED + ".stop").write_text("3 steps")
    tape: Any = Flushed()
    before = signal.signal(signal.SIGUSR2, lambda *_: hooks._flush_on_request(tape, stream))
    try:
        with pytest.raises(limits.StepLimit, match="3 steps"):
            os.kill(os.getpid(), signal.SIGUSR2)
        os.kill(os.getpid(), signal.SIGUSR2)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert tape.count == 2
