"""A run refutes a finding only where it came to what would have shown it: after enough turns, at a line that ran, on a device that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.finding import Finding, Location
from looplint.runtime.evidence.conditions import NEEDS_CUDA, TELLS
from looplint.runtime.evidence.joining import MEASURED, join
from looplint.runtime.harness.running import inspect
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.warm import Warm
from looplint.settings.configuration import Configurations

pytestmark = pytest.mark.slow

PLAIN = """
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for i in range(6):
    loss = model(torch.ones(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
SCALED = """
import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("DEVICE", enabled=ENABLED)
for i in range(6):
    optimizer.zero_grad()
    loss = model(torch.ones(8, 4)).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
"""


def verdict(warm: Warm, path: Path, source: str, code: str, line: str, steps: int = 0) -> tuple[str, str]:
    """What the run of a script says of a finding that a rule might have at a line."""
    script = path / "train.py"
    script.write_text(source)
    row = next(number for number, text in enumerate(source.splitlines(), 1) if line in text)
    finding = Finding(code, "name", "message", str(script), Location(row, 1), Location(row, 2))
    stream = record(script, Options(steps=steps), warm.launch).stream
    (joined,) = join([finding], stream, {})
    return joined.verdict, joined.text


def test_the_table_has_every_rule_that_a_run_judges() -> None:
    assert set(TELLS) == MEASURED
    assert NEEDS_CUDA <= MEASURED


@pytest.mark.parametrize("crash", [False, True], ids=["step-limit", "crash"])
def test_one_step_does_not_refute_gradients_that_add_up(crash: bool, tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "train.py"
    script.write_text(PLAIN + "    raise ValueError\n" * crash)
    configurations = Configurations(isolated=True, overrides={"select": ("LL102",)})
    inspection = inspect(str(script), Options(steps=0 if crash else 1), configurations, warm.launch)
    assert {j.verdict for j in inspection.joined} <= {"not reached"}
    assert verdict(warm, tmp_path, PLAIN + "    raise ValueError\n" * crash, "LL102", "backward", steps=1)[0] == "not reached"


CLEARED = PLAIN.replace("    loss.backward()\n", "    optimizer.zero_grad()\n    loss.backward()\n")
STEP_FIRST = PLAIN.replace("    loss.backward()\n    optimizer.step()\n", "    optimizer.step()\n    loss.backward()\n")


@pytest.mark.parametrize(
    ("source", "code", "line", "early", "late"),
    [
        (PLAIN, "LL102", "loss.backward", "not reached", "confirmed"),
        (CLEARED, "LL102", "loss.backward", "not reached", "refuted"),
        (CLEARED, "LL101", "zero_grad", "not reached", "refuted"),
        (CLEARED, "LL108", "loss.backward", "not reached", "refuted"),
        (CLEARED, "LL109", "optimizer.step", "not reached", "refuted"),
        (CLEARED, "LP006", "zero_grad", "not reached", "refuted"),
        (STEP_FIRST, "LL105", "optimizer.step", "not reached", "confirmed"),
        (PLAIN, "LL105", "optimizer.step", "refuted", "refuted"),
    ],
)
def test_a_verdict_takes_the_turns_that_the_claim_needs(
    source: str, code: str, line: str, early: str, late: str, tmp_path: Path, warm: Warm
) -> None:
    assert [verdict(warm, tmp_path, source, code, line, steps)[0] for steps in (1, 0)] == [early, late]


@pytest.mark.parametrize(
    ("code", "line"),
    [("LL601", "clip_grad_norm_"), ("LL603", "backward()"), ("LL604", "scaler.step")],
)
def test_a_scaler_that_is_off_refutes_nothing(code: str, line: str, tmp_path: Path, warm: Warm) -> None:
    off = SCALED.replace("DEVICE", "cuda").replace("ENABLED", "torch.cuda.is_available()")
    told, text = verdict(warm, tmp_path, off, code, line)
    assert told == "not measured"
    assert text.startswith("not measured here (needs CUDA): the run did not come to ")


@pytest.mark.parametrize(("code", "line"), [("LL601", "clip_grad_norm_"), ("LL602", "scaler.step"), ("LL604", "scaler.step")])
def test_a_scaler_that_is_on_refutes_on_a_cpu_too(code: str, line: str, tmp_path: Path, warm: Warm) -> None:
    on = SCALED.replace("DEVICE", "cpu").replace("ENABLED", "True")
    assert verdict(warm, tmp_path, on, code, line)[0] == "refuted"


@pytest.mark.parametrize(
    ("code", "line", "expected"),
    [("LL902", "benchmark", "not measured"), ("LL111", "loss_of_another_run.backward()", "not reached")],
)
def test_a_line_that_never_ran_is_not_refuted_by_the_end_of_the_run(
    code: str, line: str, expected: str, tmp_path: Path, warm: Warm
) -> None:
    unreached = "    if i > 100:\n        torch.backends.cudnn.benchmark = True\n        loss_of_another_run.backward()\n"
    assert verdict(warm, tmp_path, PLAIN + unreached, code, line)[0] == expected
