"""A factor that nothing updates, on the gradients of an optimizer that divides by their size, changes nothing today: advice (LL604)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn

def train(net: nn.Module, loader):
    scaler = torch.amp.GradScaler(init_scale=1024)
    opt = torch.optim.{built}
    for x, y in loader:
        opt.zero_grad()
        scaler.scale(nn.functional.mse_loss(net(x), y)).backward()
        {clipped}
        opt.step()
        {updated}
"""


def _severities(built: str, clipped: str = "pass", updated: str = "pass") -> list[str]:
    return [f.severity for f in looplint.lint(dedent(PROGRAM.format(built=built, clipped=clipped, updated=updated)), select=["LL604"])]


@pytest.mark.parametrize("built", ["Adam(net.parameters())", "AdamW(net.parameters(), lr=0.1)", "RMSprop(net.parameters())"])
def test_an_optimizer_that_divides_by_the_size(built: str) -> None:
    assert _severities(built) == ["advice"]


@pytest.mark.parametrize(
    ("built", "clipped", "updated"),
    [
        ("SGD(net.parameters(), lr=0.1)", "pass", "pass"),
        ("Adam(net.parameters())", "pass", "scaler.update()"),
        ("Adam(net.parameters())", "nn.utils.clip_grad_norm_(net.parameters(), 1.0)", "pass"),
    ],
)
def test_what_makes_a_difference(built: str, clipped: str, updated: str) -> None:
    assert _severities(built, clipped, updated) == ["error"]
