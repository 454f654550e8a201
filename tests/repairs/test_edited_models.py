"""A method of a model out of sight that makes another one of a batch may train it: gradients stay on for its calls."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, loader, valid):
        self.model, self.optimizer, self.loader, self.valid = model, optimizer, loader, valid

    def step(self, batch, training):
        self.model.train(training)
        MADE
        with torch.set_grad_enabled(training):
            loss = USED
        base = nn.functional.mse_loss(self.model(batch["x"]), batch["y"])
        if training:
            (loss + base).backward()
        return base.item()

    def train(self):
        for batch in self.loader:
            self.optimizer.zero_grad()
            self.step(batch, True)
            self.optimizer.step()

    def validate(self):
        return [self.step(batch, False) for batch in self.valid]
"""
TRAINED = {
    "edited, told": ("edited, told = self.model.edit(batch['x'])", "edited(batch['z']).loss"),
    "adapted": ("learner = self.model.adapt(batch['x'], steps=3)", "nn.functional.mse_loss(learner(batch['z']), batch['y'])"),
    "at once": ("scores = self.model.tune(batch['x'])(batch['z'])", "nn.functional.mse_loss(scores, batch['y'])"),
}
COMPUTED = {
    "a tensor": ("hidden = self.model.encode(batch['x'])", "nn.functional.mse_loss(hidden, batch['y'])"),
    "a method of what it gives": ("out = self.model.score(batch['x'])", "out.loss.mean()"),
}


def _codes(made: str, used: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("MADE", made).replace("USED", used), isolated=True)]


@pytest.mark.parametrize(("made", "used"), TRAINED.values(), ids=TRAINED)
def test_nothing_is_said_of_the_pass(made: str, used: str) -> None:
    assert "LL303" not in _codes(made, used)


@pytest.mark.parametrize(("made", "used"), COMPUTED.values(), ids=COMPUTED)
def test_what_computes_is_reported(made: str, used: str) -> None:
    assert "LL303" in _codes(made, used)
