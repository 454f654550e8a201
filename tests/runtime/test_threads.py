"""A script that trains in several threads runs as without the recorder, which records the first of them and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.runtime.harness.running import Inspection, as_json, as_text, inspect
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

SCRIPT = """
import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

LOCK, DONE = threading.Lock(), []
HERE


def train(k, net=None, optimizer=None, steps=40):
    net = net or nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = optimizer or torch.optim.Adam(net.parameters(), lr=1e-3)
    for i in range(steps):
        with lock(optimizer):
            CLEAR
            net(torch.randn(32, 20)).pow(2).mean().backward()
            optimizer.step()
    DONE.append(k)


def lock(optimizer):
    return LOCK if SHARED else threading.Lock()


def together(threads):
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


MAIN
print(sorted(DONE))
"""

RAW = "together([threading.Thread(target=train, args=(k,)) for k in range(4)])"
POOL = "with ThreadPoolExecutor(4) as pool:\n    list(pool.map(train, range(4)))"
MADE = "nets = [nn.Linear(20, 1) for _ in range(4)]\nmade = [torch.optim.SGD(net.parameters(), lr=0.01) for net in nets]"
GIVEN = "together([threading.Thread(target=train, args=(k, nets[k], made[k])) for k in range(4)])"
MAIN_TOO = "threads = [threading.Thread(target=train, args=(k, nets[k], made[k])) for k in range(1, 4)]\n[t.start() for t in threads]\ntrain(0, nets[0], made[0])\n[t.join() for t in threads]"
ONE_MODEL = "together([threading.Thread(target=train, args=(k, nets[0], made[0])) for k in range(4)])"


def inspected(
    folder: Path, warm: Warm, main: str, here: str = "", shared: bool = False, clear: str = "optimizer.zero_grad()", **options: int
) -> Inspection:
    script = folder / "train.py"
    parts = {"HERE": here, "SHARED": str(shared), "MAIN": main, "CLEAR": clear}
    text = SCRIPT
    for name, part in parts.items():
        text = text.replace(name, part)
    script.write_text(text)
    return inspect(str(script), Options(seconds=60, **options), launch=warm.launch)


@pytest.mark.parametrize(
    ("main", "here", "shared"),
    [(RAW, "", False), (POOL, "", False), (GIVEN, MADE, False), (MAIN_TOO, MADE, False), (ONE_MODEL, MADE, True)],
    ids=["threads", "pool", "made before", "beside the first thread", "one model under a lock"],
)
def test_threads_that_train_run_to_their_end(main: str, here: str, shared: bool, tmp_path: Path, warm: Warm) -> None:
    for _ in range(3):
        inspection = inspected(tmp_path, warm, main, here, shared)
        recording = inspection.recording
        assert (recording.outcome, recording.stdout) == ("finished", "[0, 1, 2, 3]\n"), recording.message + recording.stderr
        assert (inspection.exit_code, inspection.joined) == (0, ())
        assert recording.stream.steps >= 40
        assert recording.stream.marked("failed") == []


def test_a_run_says_how_many_threads_it_has_not_recorded(tmp_path: Path, warm: Warm) -> None:
    # They wait for each other, so that no thread is over before another begins.
    clear = "optimizer.zero_grad()\n            if i in (0, steps - 1): BARRIER.wait(20)"
    inspection = inspected(tmp_path, warm, RAW, "BARRIER = threading.Barrier(4)", clear=clear)
    others = inspection.recording.stream.passed_over
    assert others == 3
    assert f"It trains in {others + 1} threads, of which the first to do so was recorded" in as_text(inspection)
    assert as_json(inspection)["run"]["threads_not_recorded"] == others
    assert len({e.object for e in inspection.recording.stream.of("step", "construct", "clear")}) == 1


@pytest.mark.parametrize(("main", "here"), [(RAW, ""), (GIVEN, MADE), (MAIN_TOO, MADE)], ids=["threads", "made before", "first thread"])
def test_what_the_first_thread_does_is_judged(main: str, here: str, tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, main, here, clear="pass")
    assert {j.code for j in inspection.joined} == {"LL102"}, as_text(inspection)


def test_threads_one_after_the_other_are_all_recorded(tmp_path: Path, warm: Warm) -> None:
    stream = inspected(tmp_path, warm, "for k in range(3):\n    together([threading.Thread(target=train, args=(k,))])").recording.stream
    assert (stream.passed_over, stream.steps) == (0, 120)


def test_a_limit_ends_all_threads(tmp_path: Path, warm: Warm) -> None:
    main = RAW.replace("args=(k,)", "args=(k, None, None, 10**6)")
    recording = inspected(tmp_path, warm, main, steps=20).recording
    assert (recording.outcome, recording.stream.steps) == ("step-limit", 20), recording.message
    assert "StepLimit" not in recording.stderr


def test_threads_that_the_script_does_not_wait_for_are_recorded(tmp_path: Path, warm: Warm) -> None:
    for main in ("threading.Thread(target=train, args=(0,)).start()", "pool = ThreadPoolExecutor(1)\npool.submit(train, 0)"):
        inspection = inspected(tmp_path, warm, main)
        assert (inspection.recording.stream.steps, inspection.exit_code) == (40, 0), as_text(inspection)


def test_a_thread_that_waits_for_the_end_of_the_first_one_does_not_keep_the_run(tmp_path: Path, warm: Warm) -> None:
    wait = "lambda: [threading.main_thread().join(0.01) for _ in iter(threading.main_thread().is_alive, False)]"
    inspection = inspected(tmp_path, warm, f"train(0)\nthreading.Thread(target={wait}).start()")
    assert (inspection.recording.outcome, inspection.recording.stream.steps) == ("finished", 40), inspection.recording.message
