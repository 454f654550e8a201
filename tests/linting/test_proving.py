"""What it takes to prove repairs: the sources that are judged again."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting import files, fixing

_TRAINING = """\
import torch


def train(model, loader, optimizer, loss_fn):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
"""
_SCRIPT = """\
import torch
from training import train

model = torch.nn.Linear(3, 1)
train(model, torch.utils.data.DataLoader([]), torch.optim.SGD(model.parameters(), 0.1), torch.nn.MSELoss())
"""
_OTHER = """\
import torch


def fit(model, loader, optimizer, loss_fn):
    for x, y in loader:
        loss_fn(model(x), y).backward()
        optimizer.zero_grad()
        optimizer.step()
"""


@pytest.fixture
def judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the sources that are judged again, of each time; in `training.py` no repair helps."""
    (tmp_path / "training.py").write_text(_TRAINING)
    for number in range(4):
        (tmp_path / f"script{number}.py").write_text(_SCRIPT)
    monkeypatch.chdir(tmp_path)
    names: list[list[str]] = []
    real = files.judge_all

    def without_effect(work: list, jobs: int | None, progress: object = None, overlay: dict | None = None) -> list:
        names.append([source.display for source, _ in work])
        unrepaired = {path: source for path, source in (overlay or {}).items() if path.name != "training.py"}
        return real(
            [(fixing.read_source(s.path) if s.display == "training.py" else s, selection) for s, selection in work], 1, None, unrepaired
        )

    monkeypatch.setattr(fixing, "judge_all", without_effect)
    return names


def test_a_repair_that_does_not_hold_is_refused_before_all_are_judged(judged: list[list[str]]) -> None:
    result = fixing.fix_paths(["."], jobs=1)
    assert [f.code for f in result.linted.findings] == ["LL101"]
    assert result.linted.findings[0].unrepaired == "the repair does not make the finding go away"
    assert judged == [["script0.py"]]


def test_a_repair_that_does_not_hold_keeps_none_of_another_file_back(tmp_path: Path, judged: list[list[str]]) -> None:
    (tmp_path / "other.py").write_text(_OTHER)
    result = fixing.fix_paths(["."], jobs=1)
    assert [(f.code, f.filename) for f in result.linted.findings] == [("LL101", "training.py")]
    assert [new.display for _, new in result.changed] == ["other.py"]
    assert judged.count(["other.py"]) == 1
    assert max(map(len, judged)) == 2
