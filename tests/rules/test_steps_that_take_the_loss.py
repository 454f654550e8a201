"""An optimizer out of sight whose `step` is given the loss sends it backward; what torch's own take there is a function."""

from __future__ import annotations

import pytest

import looplint

AGENT = """\
import torch
from torch import nn, optim
from elsewhere import Model, Updater


class Agent:
    def __init__(self, config):
        self.model = Model(config)
        self.updater = MADE

    def update(self, buffer, steps, valid):
        for i in range(steps):
            batch = buffer.sample(32)
            self.model.train()
            loss = nn.functional.mse_loss(self.model(batch["x"]), batch["y"])
            STEP
        self.model.eval()
        for x, y in valid:
            print(nn.functional.mse_loss(self.model(x), y).item())
"""
OUT_OF_SIGHT = "Updater(config, list(self.model.parameters()))"
OF_TORCH = "optim.SGD(self.model.parameters(), lr=0.1)"


@pytest.mark.parametrize(
    ("made", "step", "expected"),
    [
        (OUT_OF_SIGHT, "self.updater.step(loss)", ["LL303"]),
        (OUT_OF_SIGHT, "self.updater.step(loss / 2)", ["LL303"]),
        (OUT_OF_SIGHT, "scale = 2.0; self.updater.step(loss * scale)", ["LL303"]),
        (OUT_OF_SIGHT, "loss.backward(); self.updater.step(); self.updater.zero_grad()", ["LL303"]),
        (OF_TORCH, "self.updater.step(loss)", ["LL107", "LL303"]),
    ],
)
def test_the_step_is_the_whole_update(made: str, step: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(AGENT.replace("MADE", made).replace("STEP", step), isolated=True)] == expected


def test_one_of_several_functions_that_take_the_loss() -> None:
    text = "def train(model, optimizer, loader):\n    for x, y in loader:\n        optimizer.step(model(x).sub(y).square().mean())\n"
    assert looplint.lint(text, isolated=True) == []
