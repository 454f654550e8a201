"""A condition on what another module has imported is the same in each turn: a validation on the first rank is not one of the last turn."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

ENGINE = """
import torch
import torch.distributed as dist
from torch import nn

def fit(model, loader, valid, optimizer, epochs):
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        if epoch % 5 == 0:
            if {rank}:
                model.eval()
                with torch.no_grad():
                    print(sum(nn.functional.mse_loss(model(x), y).item() for x, y in valid))
"""
MAIN = """
import torch
from torch import nn
from engine import fit

def main(loader, valid):
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    fit(model, loader, valid, torch.optim.SGD(model.parameters(), lr=0.1), 9)
"""


@pytest.mark.parametrize("rank", ["dist.get_rank() == 0", "0 == dist.get_rank()", "not dist.get_rank() != 0"])
def test_a_rank_is_no_last_turn(tmp_path: Path, rank: str) -> None:
    (tmp_path / "engine.py").write_text(ENGINE.replace("{rank}", rank))
    (tmp_path / "main.py").write_text(MAIN)
    found = looplint.lint([str(tmp_path / "main.py")], isolated=True)
    assert [f.code for f in found if f.code in ("LL301", "LL304")] == ["LL304"]
