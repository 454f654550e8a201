"""A trainer whose base cannot be read: the base calls what sets it up before what trains, and does not know what its subclass keeps."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import looplint

CLASS = """\
import torch
from torch import nn
from engine import Trainer


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(x)


class Mixed(Trainer):
    {train}

    {build}
"""
TRAIN = """\
def forward_backward(self, batch):
    scaler, optim = self.scaler, self.optim
    with torch.autocast("cuda"):
        loss = nn.functional.cross_entropy(self.model(batch["img"]), batch["label"])
    optim.zero_grad()
    scaler.scale(loss).backward()
    {between}
    {step}
    {update}
"""
BUILD = """\
def {name}(self):
    self.model = Net()
    for name, parameter in self.model.named_parameters():
        parameter.requires_grad_("head" in name)
    self.optim = torch.optim.SGD(self.model.parameters(), lr=0.1)
    self.scaler = torch.amp.GradScaler("cuda")
    self.register_model("net", self.model, self.optim)
"""


def codes(
    tmp_path: Path, between: str = "pass", step: str = "scaler.step(optim)", update: str = "scaler.update()", name: str = "build_model"
) -> set[str]:
    def inside(text: str, **parts: str) -> str:
        return text.format(**parts).strip().replace("\n", "\n    ")

    train = inside(TRAIN, between=between, step=step, update=update)
    script = tmp_path / "mixed.py"
    script.write_text(CLASS.format(train=train, build=inside(BUILD, name=name)), encoding="utf-8")
    return {f.code for f in looplint.lint([script], isolated=True) if f.severity != "advice"}


def test_a_right_one_is_left_alone(tmp_path: Path) -> None:
    assert codes(tmp_path) == set()


@pytest.mark.parametrize("name", ["build_model", "setup", "on_start"])
def test_what_sets_up_comes_first(tmp_path: Path, name: str) -> None:
    assert codes(tmp_path, update="pass", name=name) == {"LL602"}


@pytest.mark.parametrize("call", ["self._write_metrics(loss, 0.1)", "self.log('loss', loss)", "self.update_lr()", "self.report(batch)"])
def test_what_is_written_down_stays_as_it_is(tmp_path: Path, call: str) -> None:
    assert codes(tmp_path, between=call, step="optim.step()") == {"LL604"}


@pytest.mark.parametrize("call", ["self.after_backward()", "self.log_and_step(loss)", "self.finish(scaler)"])
def test_another_method_may_do_anything(tmp_path: Path, call: str) -> None:
    assert codes(tmp_path, between=call, step="optim.step()") == set()


def test_a_scaler_that_is_handed_over_may_be_updated(tmp_path: Path) -> None:
    assert codes(tmp_path, update="self.finish(scaler)") == set()
    assert codes(tmp_path, update="self.finish(loss)") == {"LL602"}


def test_a_backward_under_a_condition_scales_all_the_same(tmp_path: Path) -> None:
    script = dedent(
        """
        class Loop(Trainer):
            def __init__(self, model, optimizer, loader):
                super().__init__(model, optimizer, loader)
                self.scaler = torch.amp.GradScaler("cuda")

            def run_step(self):
                loss = self.model(next(self.batches)).sum()
                if not torch.isnan(loss):
                    self.optimizer.zero_grad()
                    self.scaler.scale(loss).backward()
                self.optimizer.step()
                self.scaler.update()
        """
    )
    path = tmp_path / "loop.py"
    path.write_text("import torch\nfrom engine import Trainer\n" + script, encoding="utf-8")
    assert {f.code for f in looplint.lint([path], isolated=True)} == {"LL604"}
