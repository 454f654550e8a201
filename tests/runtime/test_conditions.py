"""A run refutes a finding only where it came to what would have shown it: after enough turns, at a line that ran, on a device that shows it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from looplint.finding import Finding, Location
from looplint.linting import catalogue
from looplint.runtime.evidence import claims
from looplint.runtime.evidence.claims import CLAIMS
from looplint.runtime.evidence.joining import OBSERVED, join
from looplint.runtime.evidence.witness import Witness
from looplint.runtime.harness.running import inspect
from looplint.runtime.recording.channels import CHANNELS
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.stream import Event, Mark, Stream
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


def finding(code: str, script: Path, row: int) -> Finding:
    return Finding(code, "name", "message", str(script), Location(row, 1), Location(row, 2))


def verdict(warm: Warm, path: Path, source: str, code: str, line: str, steps: int = 0) -> tuple[str, str]:
    """What the run of a script says of a finding that a rule might have at a line."""
    script = path / "train.py"
    script.write_text(source)
    row = next(number for number, text in enumerate(source.splitlines(), 1) if line in text)
    stream = record(script, Options(steps=steps), warm.launch).stream
    (joined,) = join([finding(code, script, row)], stream, {})
    return joined.verdict, joined.text


def test_each_rule_is_claimed_once_by_its_code() -> None:
    files = [import_module(f"{claims.__name__}.{module.name}") for module in iter_modules(claims.__path__)]
    codes = [claim.code for file in files for claim in file.CLAIMS]
    assert len(files) > 10
    assert sorted(codes) == list(CLAIMS)
    assert set(codes) <= {rule.code for rule in catalogue.load()}
    others = {code for observed in OBSERVED.values() for code in (observed.alike, observed.cause) if code}
    assert others <= set(OBSERVED)


def test_no_verdict_rests_on_a_hook_that_failed() -> None:
    every = [code for code, observed in OBSERVED.items() if observed.channels]
    assert set(OBSERVED) - set(every) == {"LL506", "LL605"}  # errors that end the script
    for code in every:
        for channel in OBSERVED[code].channels:
            assert channel in CHANNELS
            failed = Mark("failed", 0, (), {"channel": channel, "error": "ValueError: broken"})
            (joined,) = join([finding(code, Path("train.py"), 1)], Stream(marks=(failed,)), {})
            assert (joined.verdict, "ValueError: broken" in joined.text) == ("not measured", True)


@pytest.mark.parametrize("code", OBSERVED)
def test_a_run_of_fewer_steps_than_the_table_says_refutes_nothing(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Held against a witness that has nothing to say for the finding at its place."""
    observed = OBSERVED[code]
    place = str(Path("train.py").resolve())
    speaks = Witness(code, place, 1, frozenset({(place, 1)}), 0, 5, "nothing of it here")
    monkeypatch.setattr("looplint.runtime.evidence.joining.witnesses", lambda stream: [speaks])
    for steps in range(3):
        events = tuple(Event(n, "step", 1, (), 0.0, (), (), {}) for n in range(steps))
        (joined,) = join([finding(code, Path("train.py"), 1)], Stream(events=events), {})
        assert (joined.verdict == "refuted") == (steps >= observed.turns), joined


@pytest.mark.parametrize("crash", [False, True], ids=["step-limit", "crash"])
def test_one_step_does_not_refute_gradients_that_add_up(crash: bool, tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "train.py"
    script.write_text(PLAIN + "    raise ValueError\n" * crash)
    configurations = Configurations(isolated=True, overrides={"select": ("LL102",)})
    inspection = inspect(str(script), Options(steps=0 if crash else 1), configurations, warm.launch)
    assert {j.verdict for j in inspection.joined} <= {"not reached"}
    assert verdict(warm, tmp_path, PLAIN + "    raise ValueError\n" * crash, "LL102", "backward", steps=1)[0] == "not reached"


CLEARED = PLAIN.replace("    loss.backward()\n", "    optimizer.zero_grad()\n    loss.backward()\n")
ACCUMULATED = PLAIN.replace("    optimizer.step()\n", "    if i % 2:\n        optimizer.step()\n        optimizer.zero_grad()\n")
WEIGHTED = ACCUMULATED.replace("loss = ", "loss = 0.5 * ")  # a weight is no division by the number of batches
STEP_FIRST = PLAIN.replace("    loss.backward()\n    optimizer.step()\n", "    optimizer.step()\n    loss.backward()\n")


@pytest.mark.parametrize(
    ("source", "code", "line", "early", "late"),
    [
        (PLAIN, "LL102", "loss.backward", "not reached", "does harm"),
        (CLEARED, "LL102", "loss.backward", "not reached", "refuted"),
        (CLEARED, "LL101", "zero_grad", "not reached", "refuted"),
        (CLEARED, "LL108", "loss.backward", "not reached", "refuted"),
        (WEIGHTED, "LL108", "loss.backward", "not reached", "not reached"),
        (ACCUMULATED, "LL108", "loss.backward", "happens", "happens"),
        (CLEARED, "LL109", "optimizer.step", "not reached", "refuted"),
        (CLEARED, "LP006", "zero_grad", "not reached", "refuted"),
        (STEP_FIRST, "LL105", "optimizer.step", "not reached", "does harm"),
        (PLAIN, "LL105", "optimizer.step", "refuted", "refuted"),
    ],
)
def test_a_verdict_takes_the_turns_that_the_claim_needs(
    source: str, code: str, line: str, early: str, late: str, tmp_path: Path, warm: Warm
) -> None:
    assert [verdict(warm, tmp_path, source, code, line, steps)[0] for steps in (1, 0)] == [early, late]


def test_a_few_logits_between_0_and_1_are_no_probabilities(tmp_path: Path, warm: Warm) -> None:
    source = PLAIN.replace("range(6)", "range(12)").replace(
        "loss = model(torch.ones(8, 4)).pow(2).mean()",
        "loss = nn.functional.binary_cross_entropy(model(torch.ones(8, 4)), torch.ones(8, 1))",
    )
    source = source.replace("optimizer =", "nn.init.constant_(model.weight, 0.0)\nnn.init.constant_(model.bias, 0.5)\noptimizer =").replace(
        "lr=0.1", "lr=1e-4"
    )
    assert [verdict(warm, tmp_path, source, "LL703", "loss =", steps)[0] for steps in (5, 0)] == ["not reached", "refuted"]


@pytest.mark.parametrize(
    ("code", "line"),
    [("LL601", "clip_grad_norm_"), ("LL603", "backward()"), ("LL604", "scaler.step")],
)
def test_a_scaler_that_is_off_refutes_nothing(code: str, line: str, tmp_path: Path, warm: Warm) -> None:
    off = SCALED.replace("DEVICE", "cuda").replace("ENABLED", "torch.cuda.is_available()")
    told, text = verdict(warm, tmp_path, off, code, line)
    assert told == "not measured"
    assert text.startswith("not measured here (needs CUDA): the run did not reach ")


UNSCALE, THROUGH, UPDATE = "    scaler.unscale_(optimizer)\n", "    scaler.step(optimizer)\n", "    scaler.update()\n"
HALF = "    with torch.autocast('cuda', torch.float16):\n        out = model(torch.ones(8, 4))\n    loss = out.pow(2).mean()\n"
FORWARD = "    loss = model(torch.ones(8, 4)).pow(2).mean()\n"
DECORATED = "@torch.autocast('cuda', torch.float16)\ndef run(x):\n    return model(x)\n\nfor i in range(6):\n"
INSIDE = """
class Net(nn.Linear):
    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.float16):
            return super().forward(x)

model = Net(4, 1)
"""
PLAINLY = ("scaler.scale(loss).backward()", "loss.backward()")
DISORDERED = {
    "LL601": ([(UNSCALE, "")], "clip_grad_norm_"),
    "LL602": ([(UPDATE, "")], "scaler.step"),
    "LL604": ([(THROUGH, "    optimizer.step()\n")], "optimizer.step()"),
    "LL603": ([(FORWARD, HALF), PLAINLY], "backward()"),
    "LL603, by a decorator": ([("for i in range(6):\n", DECORATED), ("loss = model(", "loss = run("), PLAINLY], "backward()"),
    "LL603, in a forward": ([("model = nn.Linear(4, 1)\n", INSIDE), PLAINLY], "backward()"),
}


@pytest.mark.parametrize("case", DISORDERED)
@pytest.mark.parametrize("enabled", [False, True], ids=["off", "on"])
def test_the_order_of_calls_around_a_scaler_is_confirmed_on_a_cpu(case: str, enabled: bool, tmp_path: Path, warm: Warm) -> None:
    edits, line = DISORDERED[case]
    source = SCALED
    for old, new in edits:
        assert old in source
        source = source.replace(old, new)
    source = source.replace("DEVICE", "cpu" if enabled else "cuda").replace("ENABLED", str(enabled))
    # A scaler that is on raises an error where it was not updated.
    assert verdict(warm, tmp_path, source, case[:5], line)[0] == ("does harm" if case == "LL602" and enabled else "happens")


@pytest.mark.parametrize("enabled", [False, True], ids=["off", "on"])
def test_a_step_without_any_backward_is_confirmed_by_the_error_of_a_scaler_that_is_on(enabled: bool, tmp_path: Path, warm: Warm) -> None:
    plain = SCALED.replace("DEVICE", "cpu" if enabled else "cuda").replace("ENABLED", str(enabled)).replace(UNSCALE, "")
    source = plain.replace("    scaler.scale(loss).backward()\n", "")
    assert verdict(warm, tmp_path, source, "LL107", "scaler.step")[0] == "does harm"


def test_the_error_of_a_scaler_confirms_no_missing_backward_where_there_was_one(tmp_path: Path, warm: Warm) -> None:
    source = SCALED.replace("DEVICE", "cpu").replace("ENABLED", "True").replace(UNSCALE, "").replace("scaler.scale(loss)", "loss")
    told, text = verdict(warm, tmp_path, source, "LL107", "scaler.step")
    assert (told, "ended before it could decide" in text) == ("not reached", True)


@pytest.mark.parametrize("backward", ["(scaler.scale(loss) / 2).backward()", "torch.autograd.backward(scaler.scale([loss, 2 * loss]))"])
def test_a_loss_that_is_scaled_and_then_divided_or_one_of_a_list_is_scaled(backward: str, tmp_path: Path, warm: Warm) -> None:
    source = SCALED.replace("scaler.scale(loss).backward()", backward).replace(FORWARD, HALF)
    source = source.replace("DEVICE", "cpu").replace("ENABLED", "True")
    row = next(text.strip() for text in source.splitlines() if "backward(" in text)
    assert verdict(warm, tmp_path, source, "LL603", row)[0] == "refuted"
    assert verdict(warm, tmp_path, source.replace(UNSCALE, ""), "LL601", "clip_grad_norm_")[0] == "happens"


def test_a_plain_step_behind_unscale_applies_what_overflowed(tmp_path: Path, warm: Warm) -> None:
    """Why such a step is reported: the scaler would have left it out."""
    source = SCALED.replace("DEVICE", "cpu").replace("ENABLED", "True").replace("mean()", "mean() * (1e38 if i == 3 else 1.0)")
    ends = []
    for step in (THROUGH, "    optimizer.step()\n"):
        script = tmp_path / "train.py"
        script.write_text(source.replace(THROUGH, step) + "print(bool(model.weight.isfinite().all()))\n")
        ends.append(record(script, Options(), warm.launch).stdout.strip())
    assert ends == ["True", "False"]


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
