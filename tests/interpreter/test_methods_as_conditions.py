"""A method that is asked for and not called counts as true: `if model.train:` is no question about the mode."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.no_grad()
def evaluate(model, batches):
    was_training = {asked}
    model.eval()
    total = sum(nn.functional.mse_loss(model(x), y).item() for x, y in batches)
    {back}
    return total


model.train()
for epoch in range(3):
    for x, y in [(torch.ones(2, 4), torch.ones(2, 1))]:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y){expected}
        loss.backward()
        optimizer.step()
    print(evaluate(model, [(torch.ones(2, 4), torch.ones(2, 1))]))
"""


@pytest.mark.parametrize(
    ("asked", "back"),
    [
        ("model.train", "if was_training: model.train()"),
        ("model.train", "model.train() if was_training else model.eval()"),
        ("model.eval", "if not was_training: return total\n    model.train()"),
        ("model.training", "if was_training: model.train()"),
    ],
)
def test_what_is_always_true(asked: str, back: str) -> None:
    assert_marked(PROGRAM.format(asked=asked, back=back, expected=""))


@pytest.mark.parametrize(
    ("asked", "back"),
    [("model.train", "if not was_training: model.train()"), ("model.train", "model.eval() if was_training else model.train()")],
)
def test_what_is_never_done(asked: str, back: str) -> None:
    assert_marked(PROGRAM.format(asked=asked, back=back, expected="  # expect: LL301"))
