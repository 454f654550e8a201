"""A loop that counts to the constant 1 has no second turn: nothing is said of the epochs after the first."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = {count}
data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
loader = DataLoader(data, batch_size=8)
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

class Settings:
    epochs = {count}

def train(epochs):
    for epoch in range({over}):
        for x, y in loader:
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            {clear}
        model.eval()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(model(x), y).item() for x, y in loader))

train({count})
"""
CLEAR = "optimizer.zero_grad()"


def found(count: str, over: str, clear: str = CLEAR) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(count=count, over=over, clear=clear), isolated=True)]


@pytest.mark.parametrize("over", ["1", "EPOCHS", "Settings.epochs", "epochs"])
def test_one_epoch_is_followed_by_none(over: str) -> None:
    assert found("1", over) == []


@pytest.mark.parametrize("over", ["EPOCHS", "Settings.epochs", "epochs"])
def test_two_epochs_are_an_epoch_and_another(over: str) -> None:
    assert found("2", over) == ["LL901", "LL301"]


def test_batches_follow_each_other_in_one_epoch() -> None:
    assert found("1", "EPOCHS", "pass") == ["LL102"]
