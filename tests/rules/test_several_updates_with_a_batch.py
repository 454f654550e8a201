"""LL202 and a schedule that is stepped once for each batch, with which the optimizer steps several times."""

from __future__ import annotations

import pytest

from programs import assert_marked

HEAD = """
from torch import optim
from torch.utils.data import DataLoader, TensorDataset

def train({given}):
    model = nn.Linear(3, 1)
    {loader}
    optimizer = optim.AdamW(model.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, epochs=5, steps_per_epoch=len(loader))
"""
FOR_EACH_BATCH = """
    for epoch in range(5):
        for x, ys in loader:
            for t in range(20):
                loss = nn.functional.mse_loss(model(x), ys[t])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            scheduler.step()
"""
WHILE_IT_IS_LARGE = """
    for epoch in range(5):
        for x, ys in loader:
            tries = 0
            while tries < 20:
                loss = nn.functional.mse_loss(model(x), ys[tries])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                tries += 1
            scheduler.step()
"""
FOR_EACH_EPOCH = """
    for epoch in range(5):
        for x, ys in loader:
            loss = nn.functional.mse_loss(model(x), ys)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()  # expect: LL202
"""


@pytest.mark.parametrize("loops", [FOR_EACH_BATCH, WHILE_IT_IS_LARGE, FOR_EACH_EPOCH], ids=["each batch", "while", "each epoch"])
@pytest.mark.parametrize(
    ("given", "loader"),
    [("", "loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8, 20)), shuffle=True)"), ("loader", "")],
    ids=["built", "handed in"],
)
def test_a_schedule_is_stepped(given: str, loader: str, loops: str) -> None:
    assert_marked(HEAD.format(given=given, loader=loader) + loops)
