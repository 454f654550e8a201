"""LL104: a clip after the step says nothing of the step where the gradients were clipped before it as well."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


def train(loader, epochs):
    net, other = nn.Linear(3, 1), nn.Linear(3, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            BEFORE
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            CLIP
            opt.step()
            AFTER
        LAST
"""
NORM = "clip_grad_norm_(net.parameters(), 1.0)"


def found(clip: str = "pass", *, before: str = "pass", after: str = "pass", last: str = "pass") -> list[str]:
    text = PROGRAM.replace("BEFORE", before).replace("CLIP", clip).replace("AFTER", after).replace("LAST", last)
    return [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL104"]


@pytest.mark.parametrize("clip", [NORM, "clip_grad_value_(net.parameters(), 0.5)", "for p in net.parameters(): p.grad.clamp_(-1, 1)"])
@pytest.mark.parametrize("place", ["after", "last"])
def test_clipped_before_as_well(place: str, clip: str) -> None:
    assert found(clip, **{place: NORM}) == []


@pytest.mark.parametrize(
    "clip",
    [
        "pass",
        "clip_grad_norm_(other.parameters(), 1.0)",
        "norm = sum(p.grad.norm() for p in net.parameters())",
    ],
)
def test_not_clipped_before(clip: str) -> None:
    assert found(clip, after=NORM) == ["LL104"]
    assert found(before=NORM, after=NORM) == ["LL104"]
