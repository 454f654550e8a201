"""Iterations that are like many before them pass unmeasured, and nothing that differs does."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from looplint.runtime.evidence.joining import witnesses
from looplint.runtime.evidence.questions import optimizers, steps_of
from looplint.runtime.recording.pauses import AGAIN, ALIKE, PASSED
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.stream import Stream
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

START = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    model, loss_function = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 1)), nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    x, y = torch.ones(8, 4), torch.ones(8, 1)
"""
PLAIN = """
    for i in range(400):
        optimizer.zero_grad()
        loss = loss_function(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
"""
TWO = """
    other = nn.Linear(1, 4)
    second = torch.optim.Adam(other.parameters(), lr=1e-4)
    for i in range(200):
        made = other(y)
        optimizer.zero_grad()
        loss_function(model(made.detach()), y).backward()
        optimizer.step()
        second.zero_grad()
        loss_function(model(made), y).backward()
        second.step()
"""
UNEVEN = """
    for i in range(400):
        optimizer.zero_grad()
        for _ in range(torch.randint(1, 40, ()).item()):
            loss_function(model(x), y).backward()
        optimizer.step()
"""
SCALED = """
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    for i in range(400):
        optimizer.zero_grad()
        scaler.scale(loss_function(model(x), y)).backward()
        scaler.step(optimizer)
"""
OWN_CLASS = """
    class Own:
        def __init__(self, params):
            self.params = list(params)
        def zero_grad(self):
            for p in self.params:
                p.grad = None
        def step(self):
            with torch.no_grad():
                for p in self.params:
                    p -= 1e-4 * p.grad
    optimizer = Own(model.parameters())
""" + PLAIN.replace("        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n", "")


def stream(warm: Warm, path: Path, source: str, **options: bool) -> Stream:
    script = path / "train.py"
    script.write_text(textwrap.dedent(START) + textwrap.dedent(source))
    return record(str(script), Options(**options), warm.launch).stream


@pytest.mark.parametrize("source", [PLAIN, TWO], ids=["one optimizer", "two in turns"])
def test_iterations_alike_pass(source: str, tmp_path: Path, warm: Warm) -> None:
    run = stream(warm, tmp_path, source)
    recorded, passed = len(run.of("step")), sum(mark.facts["iterations"] for mark in run.marked("pause"))
    assert (recorded + passed, run.steps, run.backwards) == (400, 400, 400)
    assert ALIKE < recorded <= ALIKE + 2 + (400 - ALIKE) * AGAIN // (AGAIN + PASSED) + AGAIN
    # Each recorded iteration is whole, and backwards that passed account for the forwards that they used.
    assert {len(run.of(kind)) for kind in ("clear", "backward")} == {recorded}
    assert [w.code for w in witnesses(run) if w.bad and w.code in ("LL101", "LL102", "LL302", "LL303", "LL110")] == []


@pytest.mark.parametrize("source", [SCALED, OWN_CLASS, UNEVEN], ids=["a scaler", "an optimizer of an own class", "never twice the same"])
def test_what_cannot_be_compared_is_recorded_whole(source: str, tmp_path: Path, warm: Warm) -> None:
    run = stream(warm, tmp_path, source)
    assert len(run.of("step")) == 400
    assert not run.marked("pause")


def test_a_recording_can_be_whole(tmp_path: Path, warm: Warm) -> None:
    assert len(stream(warm, tmp_path, PLAIN, whole=True).of("step")) == 400


@pytest.mark.parametrize("first", [ALIKE + 10, ALIKE + 31, 300])
def test_a_clear_that_is_left_out_ends_a_pause(first: int, tmp_path: Path, warm: Warm) -> None:
    run = stream(warm, tmp_path, PLAIN.replace("optimizer.zero_grad()", f"i >= {first} or optimizer.zero_grad()"))
    (witness,) = [w for w in witnesses(run) if w.code == "LL102"]
    assert witness.bad >= AGAIN


def test_gradients_that_are_left_in_a_pause_are_seen_at_the_end(tmp_path: Path, warm: Warm) -> None:
    source = """
    for i in range(391):
        (loss_function(model(x), y) / 2).backward()
        if i % 2:
            optimizer.step()
            optimizer.zero_grad()
    """
    run = stream(warm, tmp_path, source)
    assert run.marked("pause")
    assert [w.bad > 0 for w in witnesses(run) if w.code == "LL111"] == [True]
    assert not any(w.bad for w in witnesses(stream(warm, tmp_path, source.replace("391", "390"))) if w.code == "LL111")


@pytest.mark.parametrize(
    "seldom",
    ["print(model(x).mean().item())", "print(sum(model(x) for _ in range(2)).mean().item())"],
    ids=["once", "twice"],
)
def test_a_forward_from_another_line_ends_a_pause(seldom: str, tmp_path: Path, warm: Warm) -> None:
    run = stream(warm, tmp_path, PLAIN + f"        if i == 150:\n            {seldom}\n")
    line = 1 + len(textwrap.dedent(START + PLAIN).splitlines())
    mine = [e for e in run.of("forward") if e.line >= line]
    assert mine
    assert all(e.facts["graph"] and e.facts["active"] for e in mine)
    assert {w.code for w in witnesses(run) if w.bad and w.line >= line} >= {"LL302", "LL303"}


def test_a_mode_that_changes_within_an_iteration_leaves_no_forward_unused(tmp_path: Path, warm: Warm) -> None:
    run = stream(warm, tmp_path, PLAIN.replace("    loss.backward()", "    i == 150 and model.eval()\n        loss.backward()"))
    assert len(run.of("eval")) == 1
    (replayed,) = [e for e in run.events if "like" in e.facts]
    assert replayed.kind == "clear"
    assert not any(w.bad for w in witnesses(run) if w.code in ("LL101", "LL102", "LL105", "LL303"))
    assert any(w.bad for w in witnesses(run) if w.code == "LL304")


def test_schedules_are_all_recorded(tmp_path: Path, warm: Warm) -> None:
    source = (
        "    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n"
        + PLAIN
        + "        if i % 100 == 99:\n            scheduler.step()\n"
    )
    run = stream(warm, tmp_path, source)
    assert len(run.of("schedule")) == 4
    assert run.marked("pause")
    (optimizer,) = optimizers(run)
    assert [len({e.facts["lr"][0] for e in steps_of(run, optimizer)})] == [4]
