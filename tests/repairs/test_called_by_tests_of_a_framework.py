"""What Lightning calls after a training, to test and to predict, comes by the places that it calls: train() is not put there for the training alone."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
import pytorch_lightning as pl
from torch import nn


class Wrapper(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))

    def encode(self, x, looks=False):
        if looks:
            self.model.eval()
            with torch.no_grad():
                print(nn.functional.mse_loss(self.model(x), x[:, :1]).item())
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.encode(x, looks=batch_idx % 10 == 9), y)
{more}
    def configure_optimizers(self):
        return torch.optim.Adam(self.model.parameters(), lr=1e-3)
"""
HOOK = """
    def {name}_step(self, batch, batch_idx):
        x, y = batch
        print(nn.functional.mse_loss(self.encode(x), y).item())
"""


@pytest.mark.parametrize("name", ["validation", "test", "predict"])
def test_encode_is_left_as_it_is(name: str) -> None:
    text = PROGRAM.format(more=HOOK.format(name=name))
    assert [f.code for f in looplint.lint(text, isolated=True)] == ["LL304"]
    repaired = looplint.fix(text, isolated=True).text
    print(repaired)
    assert "self.model.train()" not in repaired.partition("def encode")[2].partition("def training_step")[0]


def test_a_function_of_the_training_alone_is_repaired() -> None:
    repaired = looplint.fix(PROGRAM.format(more=""), isolated=True).text
    assert "self.model.train()" in repaired
