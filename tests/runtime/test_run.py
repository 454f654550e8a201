"""`looplint run`: both sides of a finding, joined."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from looplint.commands.run import command as run_command
from looplint.errors import UserError
from looplint.runtime.evidence.joining import OBSERVED
from looplint.runtime.harness.running import Inspection, as_json, as_text, inspect
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

CORRECT = """
import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
    train_loader, val_loader = DataLoader(data, batch_size=4, shuffle=True), DataLoader(data, batch_size=16)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    model.to("cpu")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(optimizer, step_size=2)
    criterion = nn.MSELoss()
    history = []
    for epoch in range(3):
        model.train()
        total = 0.0
        for i, (x, y) in enumerate(train_loader):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            total += loss.item()
            history.append(loss.item())
        scheduler.step()
        model.eval()
        error = 0.0
        with torch.no_grad():
            for x, y in val_loader:
                error += criterion(model(x), y).item()
        print(epoch, total, error)


main()
"""
CLEAR = "            optimizer.zero_grad()\n"
BACKWARD = "            loss.backward()\n"
CLIP = "            nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n"
STEP = "            optimizer.step()\n"
SCHEDULE = "        scheduler.step()\n"
MOVE = '    model.to("cpu")\n'
BUILD = "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
ONE_CYCLE = ("lr_scheduler.StepLR(optimizer, step_size=2)", "lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=3 * len(train_loader))")
GUARD = "            if (i + 1) % 4 == 0:\n"

PLANTED: dict[str, tuple[tuple[str, str], ...]] = {
    "LL101": ((CLEAR, ""), (BACKWARD, BACKWARD + CLEAR)),
    "LL102": ((CLEAR, ""),),
    "LL103": ((CLIP, ""), (BACKWARD, CLIP + BACKWARD)),
    "LL104": ((CLIP, ""), (STEP, STEP + CLIP)),
    "LL105": ((STEP, ""), (BACKWARD, STEP + BACKWARD)),
    "LL106": ((STEP, ""),),
    "LL107": ((BACKWARD, ""),),
    "LL108": ((CLEAR, ""), (CLIP, ""), (STEP, f"{GUARD}    {STEP}    {CLEAR}")),
    "LL110": (("loss.backward()", "loss.backward(retain_graph=True)"),),
    "LL201": ((SCHEDULE, ""), (STEP, f"{STEP}    {SCHEDULE}"), ("step_size=2", "step_size=3")),
    "LL202": (ONE_CYCLE,),
    "LL203": ((SCHEDULE, ""), ("        total = 0.0\n", "        total = 0.0\n" + SCHEDULE)),
    "LL204": (("lr_scheduler.StepLR(optimizer, step_size=2)", "lr_scheduler.ReduceLROnPlateau(optimizer)"),),
    "LL205": ((SCHEDULE, ""),),
    "LL301": (("        model.train()\n", ""), ("    history = []\n", "    history = []\n    model.train()\n")),
    "LL302": (("        model.eval()\n", ""),),
    "LL303": (("        with torch.no_grad():\n", "        if True:\n"),),
    "LL401": (("history.append(loss.item())", "history.append(loss)"),),
    "LL402": (("total += loss.item()", "total += loss"),),
    "LL901": ((", shuffle=True", ""), ("torch.randn(32, 1)", "torch.arange(32.0).view(32, 1)")),
    "LL902": (
        ("    history = []\n", "    torch.backends.cudnn.deterministic = torch.backends.cudnn.benchmark = True\n    history = []\n"),
    ),
    "LL502": ((BUILD, BUILD + "    model[2] = nn.Linear(8, 1)\n"),),
}


def edited(*edits: tuple[str, str]) -> str:
    source = CORRECT
    for old, new in edits:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


def inspected(folder: Path, warm: Warm, source: str, **options: int) -> Inspection:
    script = folder / "train.py"
    script.write_text(source)
    return inspect(str(script), Options(**options), launch=warm.launch)  # type: ignore[arg-type]


def test_a_correct_script_gives_nothing_on_either_side(tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, CORRECT)
    assert (inspection.joined, inspection.exit_code, inspection.recording.outcome) == ((), 0, "finished")
    assert "No findings, in the text or in the run." in as_text(inspection)


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_bug_is_confirmed_by_the_run(code: str, tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, edited(*PLANTED[code]))
    word = "does harm" if OBSERVED[code].harm or code == "LL204" else "happens"
    assert [(j.code, j.verdict) for j in inspection.joined] == [(code, word)], inspection.recording.message
    # One line that switches on both modes is advice.
    assert inspection.exit_code == (0 if code == "LL902" else 1)


def test_a_move_after_the_optimizer_is_refuted_only_where_it_changes_something(tmp_path: Path, warm: Warm) -> None:
    # The text does not tell that this move stays on the CPU; the run does.
    device = ("import torch\nfrom torch import nn\n", "import os\n\nimport torch\nfrom torch import nn\n")
    nowhere = inspected(tmp_path, warm, edited(device, (MOVE, ""), (BUILD, BUILD + '    model.to(os.environ.get("DEVICE", "cpu"))\n')))
    assert [(j.code, j.verdict) for j in nowhere.joined] == [("LL501", "not measured")]
    assert "not measured here (needs CUDA)" in as_text(nowhere)
    assert nowhere.exit_code == 0  # it is advice, which fails no run
    doubled = (("randn(32, 4)", "randn(32, 4).double()"), ("randn(32, 1)", "randn(32, 1).double()"))
    changed = inspected(tmp_path, warm, edited((MOVE, ""), (BUILD, BUILD + "    model.to(torch.float64)\n"), *doubled))
    assert [(j.code, j.verdict) for j in changed.joined] == [("LL501", "refuted")]
    assert changed.exit_code == 0


def test_what_the_steps_did_not_come_to_is_not_reached_and_a_shorter_epoch_reaches_it(tmp_path: Path, warm: Warm) -> None:
    source = edited(*PLANTED["LL302"])
    inspection = inspected(tmp_path, warm, source, steps=4)
    assert [(j.code, j.verdict) for j in inspection.joined] == [("LL302", "not reached")]
    assert "--epochs 2 --batches 10" in as_text(inspection)
    shorter = inspected(tmp_path, warm, source, epochs=1, batches=2)
    assert [(j.code, j.verdict) for j in shorter.joined] == [("LL302", "happens")]
    assert len(shorter.recording.stream.of("step")) == 2


def test_what_the_linter_cannot_see_is_found_at_run_time_only(tmp_path: Path, warm: Warm) -> None:
    hidden = edited((CLEAR, ""), (STEP, "            vars(type(optimizer))['step'](optimizer)\n"))
    inspection = inspected(tmp_path, warm, hidden)
    assert [(j.code, j.verdict, j.line) for j in inspection.joined] == [("LL102", "found at run time only", 23)]
    assert as_json(inspection)["findings"][0]["name"] == "missing-zero-grad"


def test_a_comment_silences_what_only_the_run_shows(tmp_path: Path, warm: Warm) -> None:
    hidden = edited(
        (CLEAR, ""),
        (STEP, "            vars(type(optimizer))['step'](optimizer)\n"),
        (BACKWARD, "            loss.backward()  # noqa: LL102\n"),
    )
    assert inspected(tmp_path, warm, hidden).joined == ()


def test_a_kept_value_is_judged_at_its_own_line(tmp_path: Path, warm: Warm) -> None:
    """Nothing is said of a line that did not run, though another line kept graphs."""
    source = edited(
        (
            "            history.append(loss.item())\n",
            "            history.append(loss)\n            if i > 1000:\n                history.append(loss)\n",
        )
    )
    inspection = inspected(tmp_path, warm, source)
    assert [(j.line, j.verdict) for j in inspection.joined] == [(28, "happens"), (30, "not reached")]


def test_a_script_that_does_not_run_exits_with_2_and_shows_why(tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, CORRECT.replace("randn(32, 1)", "nothing()"))
    assert inspection.exit_code == 2
    assert "has no attribute 'nothing'" in as_text(inspection)


def test_the_run_command_lints_a_module_and_passes_arguments_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "trainer"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text("import sys\nassert sys.argv[1:] == ['--lr', '3']\n" + edited((CLEAR, "")))
    result = CliRunner().invoke(run_command, ["--steps", "4", "--json", "--events", "-m", "trainer", "--", "--lr", "3"])
    found = json.loads(result.stdout)
    assert (result.exit_code, found["run"]["outcome"], found["run"]["steps"]) == (1, "step-limit", 4)
    assert [(f["code"], f["verdict"], f["filename"]) for f in found["findings"]] == [("LL102", "does harm", "trainer/__main__.py")]
    assert [e["kind"] for e in found["run"]["events"]].count("step") == 4
    assert "executing trainer --lr 3" in result.stderr


def test_an_opt_in_rule_has_a_verdict_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(edited((CLEAR, CLEAR.replace("()", "(set_to_none=False)"))))
    result = CliRunner().invoke(run_command, ["--extend-select", "LP006", "--json", "train.py"])
    found = json.loads(result.stdout)
    assert [(f["code"], f["verdict"]) for f in found["findings"]] == [("LP006", "happens")], result.stdout


@pytest.mark.parametrize(
    "arguments", [["-m", "torch.distributed.run", "--nproc_per_node", "2", "train.py"], ["/usr/bin/torchrun", "train.py"]]
)
def test_a_launcher_is_told_apart_from_what_it_launches(arguments: list[str]) -> None:
    error = CliRunner().invoke(run_command, arguments).exception
    assert isinstance(error, UserError)
    assert "torchrun --no-python looplint run SCRIPT" in str(error)


def test_a_missing_script_is_the_users_mistake() -> None:
    for arguments in (["nowhere.py"], ["-m", "nowhere.at.all"]):
        result = CliRunner().invoke(run_command, arguments)
        assert isinstance(result.exception, UserError)


def test_whoever_ends_the_command_ends_the_script(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import os, time\nimport torch\nopen('pid', 'w').write(str(os.getpid()))\nos.rename('pid', 'started')\ntime.sleep(600)\n"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    command = subprocess.Popen(
        [sys.executable, "-m", "looplint", "run", "train.py"], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL
    )
    started, deadline = tmp_path / "started", time.monotonic() + 120
    while not started.exists() and command.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    command.send_signal(signal.SIGTERM)
    assert command.wait(30) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)
    assert list(scratch.glob("looplint-*")) == []


def test_a_script_that_closes_its_descriptors_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        f"import os\nimport torch\n{CORRECT.replace('            optimizer.zero_grad()', '            pass')}main()\nos.closerange(0, 200)\n"
    )
    done = subprocess.run([sys.executable, "-m", "looplint", "run", "train.py"], cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode in (1, 2) and "internal error" not in done.stderr and "Traceback" not in done.stderr
    assert "LL102" in done.stdout


DIRECT = """
import torch
from torch import nn

torch.manual_seed(0)
model = nn.LSTM(4, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def predict(x):
    model.eval()
    return model.forward(x)[0].argmax(1)


def train(x):
    model.train()
    optimizer.zero_grad()
    model.forward(x)[0].pow(2).mean().backward()
    optimizer.step()


for i in range(4):
    train(torch.ones(5, 3, 4))
    print(predict(torch.ones(5, 3, 4)).sum())
"""


def test_a_forward_that_goes_past_the_modules_call_is_a_forward(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "train.py"
    script.write_text(DIRECT)
    inspection = inspect(str(script), Options(seconds=60), launch=warm.launch)
    assert [(j.code, j.line, j.verdict) for j in inspection.joined] == [
        ("LL303", 12, "happens"),
        ("LL504", 12, "happens"),
        ("LL504", 18, "happens"),
    ]
    assert [e.facts["training"] for e in inspection.recording.stream.of("forward")] == [True, False] * 4
