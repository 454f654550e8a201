"""What a recording lacks is no accident: a step that a scaler left out, an object without a record, an answer that nobody read."""

from __future__ import annotations

import io
import sys
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from looplint.runtime.evidence.claims import CLAIMS
from looplint.runtime.evidence.joining import witnesses
from looplint.runtime.evidence.witness import fails
from looplint.runtime.streams import warm as warm_runs
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.stream import Event, Frame, Mark, Stream, parse, read
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

# Each second batch is thrown away, and the fourth overflows, so that its step is left out.
OVERFLOWS = """
import torch
from torch import nn
net = nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for i in range(6):
    optimizer.zero_grad()
    loss = net(torch.ones(8, 4)).pow(2).mean() * (float("inf") if i == 3 else 1.0)
    scaler.scale(loss).backward()
    if i % 2:
        scaler.step(optimizer)
        scaler.update()
"""


def test_a_step_that_a_scaler_leaves_out_has_no_gradients_to_count(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "train.py"
    script.write_text(OVERFLOWS)
    stream = record(script, Options(seconds=60, costs=True), warm.launch).stream
    assert [bool(e.facts.get("skipped")) for e in stream.of("step")] == [False, True, False]
    list(witnesses(stream))
    for claim in CLAIMS.values():
        claim.measure(stream, stream)


def test_objects_without_a_record_are_judged_by_nobody() -> None:
    stack, forward = (Frame("train.py", 3, "<module>"),), {"training": True, "active": 1, "moody": 1, "graph": True}
    backward = {"filled": [9], "before": {"9": 1}, "forwards": [1]}
    events = (
        Event(1, "forward", 7, stack, 0.0, ((8, 0, 0),), (), forward),
        Event(2, "backward", 0, stack, 0.1, ((8, 0, 0),), (), backward),
        Event(3, "schedule", 5, stack, 0.2, ((8, 0, 0),), (), {"lr": [0.1], "lr_before": [0.1]}),
    )
    marks = tuple(Mark(kind, 0, stack, {"object": 8, "sampler": 6, "epoch": 0}) for kind in ("loader", "pass", "pass"))
    stream = Stream({}, parse([]).things, events, marks, {"outcome": "finished"})
    list(witnesses(stream))
    for claim in CLAIMS.values():
        claim.measure(stream, stream)


def test_an_error_without_places_is_one_of_the_whole_program() -> None:
    stream = Stream(end={"error": {"type": "ValueError", "message": "Attempting to unscale FP16 gradients.", "frames": []}})
    (found,) = fails("LL605", "unscale FP16")(stream)
    assert (found.bad, found.frames) == (1, frozenset())


def test_a_logger_whose_module_has_another_name_is_watched() -> None:
    pytest.importorskip("torch")
    from looplint.runtime.recording import hooks_loggers

    class Tape:
        def fail(self, *_: Any) -> None: ...

    module = ModuleType("stands_in")
    module.tqdm = type("tqdm", (), {"set_postfix": lambda self: None})  # type: ignore[attr-defined]
    original = module.tqdm.set_postfix
    before = sys.modules.get("tqdm.std")
    finders = list(sys.meta_path)
    sys.modules["tqdm.std"], sys.modules["wandb.sdk.wandb_run"] = module, None  # type: ignore[assignment]
    try:
        hooks_loggers.install(_tape_without_file())
    finally:
        sys.meta_path[:] = finders
        del sys.modules["tqdm.std"], sys.modules["wandb.sdk.wandb_run"]
        if before is not None:
            sys.modules["tqdm.std"] = before
    assert module.tqdm.set_postfix is not original


def _tape_without_file() -> Any:
    from looplint.runtime.recording.pauses import Pauses
    from looplint.runtime.recording.tape import Tape

    tape = Tape.__new__(Tape)
    tape.pauses = Pauses(tape)
    tape.local, tape.failed, tape.closed = type("Local", (), {"inside": set(), "busy": 0})(), set(), False
    return tape


def test_no_record_is_lost_between_threads(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from looplint.runtime.recording.tape import Tape

    tape = Tape(str(tmp_path / "stream"))
    each, before = 20_000, sys.getswitchinterval()

    def write(first: int) -> None:
        for number in range(first, first + each):
            tape.write({"record": "object", "id": number, "role": "module", "class": "Net", "module": "m"})
            if number % 7 == 0:
                tape.flush()

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=write, args=(n * each,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    tape.close()
    assert len(read(tmp_path / "stream").things) == 4 * each


def test_a_run_that_is_interrupted_leaves_no_answer_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = tmp_path / "long.py", tmp_path / "short.py"
    long.write_text("import time\ntime.sleep(60)\n")
    short.write_text("print('done')\n")

    def interrupted(*_: Any) -> bool:
        raise KeyboardInterrupt

    with Warm() as process:
        monkeypatch.setattr(warm_runs, "ends_in_time", interrupted)
        with pytest.raises(KeyboardInterrupt):
            process.record(long)
        monkeypatch.undo()
        assert process.record(short).stdout == "done\n"


def test_a_run_that_is_over_before_it_is_looked_at_is_not_out_of_time(tmp_path: Path) -> None:
    """Both answers are there when the first is read."""
    script = tmp_path / "short.py"
    script.write_text("print('done')\n")

    class Slow(io.RawIOBase):
        def __init__(self, pipe: Any) -> None:
            self.pipe = pipe

        def write(self, data: Any) -> int:
            return int(self.pipe.write(data))

        def flush(self) -> None:
            if not self.pipe.closed:
                self.pipe.flush()
                time.sleep(4)

        def close(self) -> None:
            self.pipe.close()

    with Warm() as process:
        process.record(script)
        started = process._started()
        started.stdin = Slow(started.stdin)  # type: ignore[assignment]
        began = time.monotonic()
        recording = process.record(script, Options(seconds=30))
        assert (recording.outcome, recording.stdout) == ("finished", "done\n") and time.monotonic() - began < 20


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    script = tmp_path / "kills.py"
    script.write_text("import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n")
    short = tmp_path / "short.py"
    short.write_text("print('done')\n")
    with Warm() as process:
        assert process.record(script, Options(seconds=20)).outcome in ("killed", "finished")
        assert process.record(short).stdout == "done\n"
