"""A function of another file is made one without gradients safely where it only validates by its name: another script may train through it."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.files import lint_paths

COLLECT = """\
def {name}(model, loader):
    found = []
    for x in loader:
        model.eval()
        found.append(model(x).argmax(1).tolist())
    return found
"""
SCRIPT = """\
import torch
from collect import {name}
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1))
optimizer = torch.optim.Adam(model.parameters())
for turn in range(100):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    print({name}(model, held_out))
"""


@pytest.mark.parametrize(
    ("name", "applicability"),
    [("evaluate", "safe"), ("_validate_epoch", "safe"), ("rollout", "unsafe"), ("sample_trajectories", "unsafe")],
)
def test_how_safe_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, applicability: str) -> None:
    (tmp_path / "collect.py").write_text(COLLECT.format(name=name))
    (tmp_path / "train.py").write_text(SCRIPT.format(name=name))
    monkeypatch.chdir(tmp_path)
    (finding,) = [f for f in lint_paths(["."], jobs=1).findings if f.code == "LL303"]
    assert finding.fix is not None
    assert finding.fix.applicability == applicability
