"""What an optimizer's parameter group has under the name of an option is a number, and no parameters (LL502)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import pytorch_lightning as pl
import torch
from torch import nn


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def training_step(self, batch, i):
        x, y = batch
        loss = nn.functional.mse_loss(self.fc(x), y)
        self.warm_up()
        return loss

    def warm_up(self):
        KEPT

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
"""
NUMBERS = [
    "for group in self.optimizers().optimizer.param_groups: self.peak = group['lr']",
    "for group in self.optimizers().param_groups: self.peak, self.decay = group['lr'], group['weight_decay']",
    "self.peak = self.optimizers().param_groups[0]['lr']",
    "self.peak = self.optimizers().param_groups[0].get('initial_lr')",
    "self.held = self.optimizers().param_groups[0]['params']",
]
PARTS = ["self.head = nn.Linear(4, 3)", "self.scale = nn.Parameter(torch.ones(3))"]


def found(kept: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("KEPT", kept), isolated=True) if f.code == "LL502"]


@pytest.mark.parametrize("kept", NUMBERS)
def test_an_option_replaces_no_part(kept: str) -> None:
    assert found(kept) == []


@pytest.mark.parametrize("kept", PARTS)
def test_new_parameters_do(kept: str) -> None:
    assert found(kept) == ["LL502"]
