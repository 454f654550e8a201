"""What was asked to run on a GPU is refused where torch can use none: nothing runs, nothing is said to be proven, nothing is stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line import looplint
from looplint.commands.verify import command as verify_command
from looplint.errors import UserError
from looplint.runtime.harness.devices import default_device
from looplint.runtime.harness.verify import Case, judge
from looplint.runtime.streams.record import Options
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


def test_a_run_that_saw_no_gpu_proves_nothing_for_one(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "case.py"
    script.write_text("import torch\n")
    verdict, runs = judge(Case("x", "LL101", "case", script, script, None), Options(device="cuda"), warm.launch)
    assert (verdict.status, verdict.note, runs) == ("not run", "the run saw no GPU", None)
