"""Verdicts are earned: a case is proven only when every part of the claim was seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from looplint.commands.verify import command as verify_command
from looplint.runtime.harness.verify import cases, judge
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

GOOD = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(10):
    opt.zero_grad()
    loss = (net(torch.ones(8, 4)) - 1).pow(2).mean()
    loss.backward()
    opt.step()
"""
BAD = GOOD.replace("    opt.zero_grad()\n", "").replace(
    "    loss.backward()\n", "    loss.backward()\n    opt.zero_grad()  # expect: LL101\n"
)


def folder(root: Path, **files: str) -> Path:
    path = root / "zero_grad_after_backward"
    path.mkdir()
    for name, text in files.items():
        (path / f"{name.replace('_', '.')}.py").write_text(text)
    return path


@pytest.mark.parametrize(
    ("expert", "fixed", "status", "note"),
    [
        (GOOD, None, "proven", ""),
        (
            GOOD,
            GOOD.replace("    opt.zero_grad()\n", "").replace("    opt.step()\n", "    opt.step()\n    opt.zero_grad()\n"),
            "proven",
            "",
        ),
        (GOOD, GOOD.replace("lr=0.01", "lr=0.02"), "not proven", "the linter's repair ends with other parameters than the expert's"),
        (GOOD, BAD, "not proven", "the linter's repair shows it still"),
        (BAD, None, "not proven", "the expert's repair shows it too"),
        (GOOD + "\nraise ValueError('no')", None, "not proven", "the expert's repair did not run"),
    ],
    ids=["no-repair", "same-bits", "other-bits", "not-repaired", "expert-broken", "expert-crashes"],
)
def test_the_verdict_on_a_case(tmp_path: Path, warm: Warm, expert: str, fixed: str | None, status: str, note: str) -> None:
    path = folder(tmp_path, case=BAD, case_expert=expert, silent=GOOD, **({"case_fixed": fixed} if fixed else {}))
    (case,) = cases(path, "LL101")
    verdict, _ = judge(case, Options(), warm.launch)
    assert (verdict.status, verdict.note[: len(note)]) == (status, note), verdict
    assert verdict.same is (None if fixed is None or "did not run" in note else "lr=0.02" not in fixed and fixed != BAD)


def test_a_broken_script_that_shows_nothing_proves_nothing(tmp_path: Path, warm: Warm) -> None:
    path = folder(tmp_path, case=GOOD + "# expect: LL101\n", case_expert=GOOD)
    (case,) = cases(path, "LL101")
    verdict, _ = judge(case, Options(), warm.launch)
    assert (verdict.status, verdict.note) == ("not proven", "the broken run does not show it")


def test_a_case_without_an_experts_repair_is_not_run(tmp_path: Path, warm: Warm) -> None:
    path = folder(tmp_path, case=BAD)
    (case,) = cases(path, "LL101")
    assert judge(case, Options(), warm.launch)[0].status == "not run"


def test_the_verify_command_prints_json_and_fails_on_what_is_not_proven(tmp_path: Path) -> None:
    folder(tmp_path, case=BAD, case_expert=GOOD, worse=BAD, worse_expert=BAD)
    result = CliRunner().invoke(verify_command, ["--fixtures", str(tmp_path), "--device", "cpu", "--json"])
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [(c["case"], c["status"]) for c in found["cases"]] == [("case", "proven"), ("worse", "not proven")]
    assert "[2/2] LL101" in result.stderr


def test_where_there_are_no_fixtures_it_is_said_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("looplint.linting.catalogue.folder", lambda name="rules": tmp_path / name)
    result = CliRunner().invoke(verify_command, ["LL102"])
    assert "the fixtures are part of a checkout" in str(result.exception)
