"""What was asked to run on a GPU is refused where torch can use none: nothing runs, nothing is said to be proven, nothing is stored."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line import looplint
from looplint.commands.verify import command as verify_command
from looplint.errors import UserError
from looplint.runtime.harness.devices import default_device, require_torch, untested_torch
from looplint.runtime.harness.verify import Case, judge
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--device", "cuda", "train.py"),
        ("verify", "--device", "cuda", "LL101"),
        ("verify", "--device", "cuda", "LL101", "--evidence", "evidence.json"),
    ],
    ids=["run", "verify", "verify-evidence"],
)
def test_cuda_without_a_gpu_is_refused_with_the_reason(arguments: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("open('ran', 'w').close()\n")
    (tmp_path / "random.py").write_text("raise SystemExit('the script folder is not on the path of the question')\n")
    result = looplint(*arguments, cwd=tmp_path)
    (line,) = result.stderr.decode().splitlines()
    assert result.returncode == 2
    assert "--device cuda: torch can use no GPU here: " in line and line.endswith("; nothing was run")
    assert "CUDA" in line or "NVIDIA" in line
    assert result.stdout == b""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["random.py", "train.py"]


def test_nothing_is_stored_for_cuda_without_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("looplint.commands.verify.folder", lambda: tmp_path / "evidence")
    result = CliRunner().invoke(verify_command, ["--device", "cuda", "--store"])
    assert isinstance(result.exception, UserError)
    assert list(tmp_path.iterdir()) == []


def test_the_default_without_a_gpu_is_the_processor() -> None:
    assert default_device() == "cpu"


@pytest.mark.parametrize(
    ("installed", "refused"), [("1.13.1", True), ("2.3.1+cu121", True), ("2.4.0", False), ("2.13.0+cpu", False), ("2.14.1", False)]
)
def test_a_torch_without_the_hooked_functions_is_refused_by_its_version(
    installed: str, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("looplint.runtime.harness.devices.version", lambda name: installed)
    if refused:
        with pytest.raises(UserError, match=f"needs torch 2.4 or newer, and {re.escape(installed)} is installed"):
            require_torch()
        return
    require_torch()
    assert bool(untested_torch()) == (installed == "2.14.1")


def test_a_function_that_torch_does_not_have_switches_its_hook_off(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\n"
        "from looplint.runtime.recording.tape import Tape\n"
        "from looplint.runtime.recording.watching import hook\n"
        f"tape = Tape({str(tmp_path / 'stream')!r})\n"
        "hook(tape, 'clips', torch.nn.utils, 'clip_by_a_name_of_tomorrow', None)\n"
        "print(tape.failed)\n"
    )
    assert record(script, Options(hooks=False), warm.launch).stdout == "{'clips'}\n"


def test_a_run_that_saw_no_gpu_proves_nothing_for_one(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "case.py"
    script.write_text("import torch\n")
    verdict, runs = judge(Case("x", "LL101", "case", script, script, None), Options(device="cuda"), warm.launch)
    assert (verdict.status, verdict.note, runs) == ("not run", "the run used no GPU: ran to its end", None)
