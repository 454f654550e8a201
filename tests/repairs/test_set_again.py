"""A parameter that replaces a tensor is no repair where the class gives the attribute another tensor later: torch refuses that."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import fixed

SCALE = """\
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, width, device):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width)).to(device)

    def forward(self, x):
        return x * self.weight

    @torch.no_grad()
    def update(self, other):
        {again}
"""
REPAIRED = "nn.Parameter(torch.ones(width).to(device))"


@pytest.mark.parametrize(
    "again", ["self.weight = self.weight * 2", "self.weight, self.old = other, self.weight", "self.weight = other.weight.clone()"]
)
def test_what_is_set_to_a_tensor_again_stays_one(again: str, tmp_path: Path) -> None:
    assert REPAIRED not in fixed(tmp_path / "net.py", SCALE.format(again=again).encode(), unsafe=True).decode()


@pytest.mark.parametrize(
    "again",
    [
        "self.weight.copy_(other)",
        "self.weight[0] = 1.0",
        "self.weight *= 2",
        "self.weight = nn.Parameter(other)",
        "del self.weight",
        "pass",
    ],
)
def test_what_is_changed_in_place_becomes_a_parameter(again: str, tmp_path: Path) -> None:
    assert REPAIRED in fixed(tmp_path / "net.py", SCALE.format(again=again).encode(), unsafe=True).decode()
