"""A step goes through its scaler safely where the program reads no gradients that the scaler leaves scaled (LL604)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

def train(net: nn.Module, loader, points):
    opt = torch.optim.Adam(net.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        opt.zero_grad()
        {before}
        loss = nn.functional.mse_loss(net(x), y)
        scaler.scale(loss).backward()
        opt.step()
        scaler.update()
        {behind}
"""
INPUT = "x.requires_grad_()"


@pytest.mark.parametrize(
    ("before", "behind", "applicability"),
    [
        ("pass", "pass", "safe"),
        ("pass", "print(sum(p.grad.norm() for p in net.parameters()))", "safe"),
        (INPUT, "points.add(x.grad)", "unsafe"),
        ("out = net.render(points)", 'grads = out["means"].grad.clone(); grads[..., 0] *= 2; points.update(grads)', "unsafe"),
    ],
)
def test_the_gradients_that_are_read(before: str, behind: str, applicability: str) -> None:
    found = [f for f in looplint.lint(PROGRAM.format(before=before, behind=behind), isolated=True) if f.code == "LL604"]
    assert [f.fix and f.fix.applicability for f in found] == [applicability]
