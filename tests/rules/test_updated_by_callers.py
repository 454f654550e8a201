"""LL602 where the update of a scaler stands in a caller of the code that steps: in the base's loop, or out of sight."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

BASE = """
import torch
from torch import nn


class Runner:
    def __init__(self, cfg, model, loader):
        self.cfg = cfg
        self.model = model
        self.loader = loader
        self.optimizer = {{"G": torch.optim.Adam(model["G"].parameters()), "D": torch.optim.Adam(model["D"].parameters())}}
        self.scaler = torch.amp.GradScaler("cuda") if cfg.amp else None

    def train(self):
        for x in self.loader:
            if self.scaler is None:
                self.train_step(x)
            else:
                with torch.autocast("cuda"):
                    self.train_step(x)
            {update}


class Adversarial(Runner):
    def train_step(self, x):
        self.fake = self.model["G"](x)
        self.learn("G", self.model["D"](self.fake).mean())
        self.optimizer["D"].zero_grad()
        loss = self.model["D"](self.fake.detach()).mean()
        if self.scaler is None:
            loss.backward()
            self.optimizer["D"].step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer["D"]){mark}

    def learn(self, name, loss):
        self.optimizer[name].zero_grad()
        if self.scaler is None:
            loss.backward()
            self.optimizer[name].step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer[name])


Adversarial(cfg, {{"G": nn.Linear(3, 3), "D": nn.Linear(3, 1)}}, loader).train()
"""


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("if self.scaler is not None:", id="the condition that denies the other one"),
        pytest.param("if not (self.scaler is None):", id="the same condition"),
        pytest.param("if self.cfg.amp:", id="a condition that nothing ties to it"),
    ],
)
def test_of_two_steps(test: str) -> None:
    assert_marked(BASE.format(update=f"{test} self.scaler.update()", mark=""))


def test_code_out_of_sight_after_two_steps() -> None:
    assert_marked(BASE.format(update="if self.cfg.amp: finish(self.scaler)", mark=""))


def test_no_update_of_two_steps() -> None:
    assert_marked(BASE.format(update="pass", mark="  # expect: LL602"))


STEPS = """
import torch


def {head}:
    {before}
    for step in {over}:
        optimizer.zero_grad()
        with torch.autocast("cuda"):
            loss = -disc(gen({noise})).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer){mark}
    return loss.item()
"""
HEAD = "generator_step(gen, disc, optimizer, scaler, noise, steps)"
MARK = "  # expect: LL602"


@pytest.mark.parametrize(
    ("before", "over", "noise", "mark"),
    [
        pytest.param("noise = noise.cuda()", "range(steps)", "noise", "", id="a number of steps that may be one"),
        pytest.param("noise = noise.cuda()", "range(steps)", "torch.randn(4, 4)", "", id="noise of its own"),
        pytest.param("noise = noise.cuda()", "range(2)", "noise", MARK, id="two steps"),
        pytest.param("gen.train()", "range(steps)", "noise", MARK, id="the whole training"),
        pytest.param("batches = iter(noise)", "range(steps)", "next(batches)", MARK, id="a batch in each turn"),
        pytest.param("noise = noise.cuda()", "steps", "step", MARK, id="over batches"),
    ],
)
def test_steps_for_a_batch_of_the_caller(before: str, over: str, noise: str, mark: str) -> None:
    assert_marked(STEPS.format(head=HEAD, before=before, over=over, noise=noise, mark=mark))


def test_steps_of_a_method_for_a_batch_of_the_caller() -> None:
    program = STEPS.format(
        head=HEAD.replace("(", "(self, "), before="noise = noise.cuda()", over="range(self.steps)", noise="noise", mark=""
    )
    head, _, body = program.partition("\n\n\n")
    indented = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
    assert_marked(f"{head}\n\n\nclass Gan:\n    def __init__(self, steps=1):\n        self.steps = steps\n\n{indented}\n")
