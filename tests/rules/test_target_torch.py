"""`target-torch`: what is said of a loop follows the oldest PyTorch it has to run on."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from looplint.linting.catalogue import folder

CLEARED = """\
import torch
from torch import nn, optim

net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    nn.functional.mse_loss(net(x), y).backward()
    opt.zero_grad()
    opt.step()
"""


def half() -> str:
    """A loop in float16 without a scaler."""
    expert = min((folder("fixtures") / "fp16_without_scaler").glob("*.expert.py"))
    return expert.with_name(expert.name.replace(".expert", "")).read_text()


@pytest.mark.parametrize(
    ("code", "target", "said"),
    [
        ("LL101", None, "the step has nothing to apply"),
        ("LL101", "2.0", "the step has nothing to apply"),
        ("LL101", "1.13", "the step applies zeros, so only momentum and weight decay go on"),
        ("LL603", None, "without torch.amp.GradScaler:"),
        ("LL603", "2.2.1", "without torch.cuda.amp.GradScaler:"),
    ],
)
def test_what_is_said_follows_the_target(code: str, target: str | None, said: str) -> None:
    text = CLEARED if code == "LL101" else half()
    (finding,) = looplint.lint(text, select=[code], target_torch=target, isolated=True)
    assert said in finding.message


def test_what_the_call_says_counts_more_than_the_target() -> None:
    (finding,) = looplint.lint(CLEARED.replace("zero_grad()", "zero_grad(set_to_none=False)"), isolated=True)
    assert "applies zeros" in finding.message
    (finding,) = looplint.lint(CLEARED.replace("zero_grad()", "zero_grad(set_to_none=True)"), target_torch="1.13", isolated=True)
    assert "nothing to apply" in finding.message


def test_a_project_says_it_once(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(CLEARED)
    (tmp_path / "pyproject.toml").write_text('[tool.looplint]\ntarget-torch = "1.13"\n')
    (finding,) = looplint.lint(tmp_path / "train.py")
    assert "applies zeros" in finding.message
    (finding,) = looplint.lint(tmp_path / "train.py", target_torch="2.4")
    assert "nothing to apply" in finding.message
