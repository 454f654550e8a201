"""What is computed from parameters before a loop is gone through by each backward in it: retain_graph is needed there (LL110)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Density(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.centers = torch.linspace(0, 1, bins)

    def forward(self, x):
        return torch.exp(-((x[None] - self.centers[:, None]) ** 2)).mean(1)


def fit(y):
    density = Density(10)
    raw = nn.Parameter(torch.rand(1024))
{before}
    for epoch in range(200):
{turn}
        loss = (density(pred) - density(y)).pow(2).sum()
        loss.backward(retain_graph=True)
        raw.data -= 100 * raw.grad
        raw.grad.zero_()
"""
SHARED = """\
import torch
from torch import nn


def train(loader):
    net, raw = nn.Linear(4, 1), nn.Parameter(torch.rand(1))
    optimizer = torch.optim.SGD([*net.parameters(), raw], lr=0.1)
{before}
    for x, y in loader:
{turn}
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y){plus}
        loss.backward(retain_graph=True)
        optimizer.step()
"""
OUTSIDE = {
    "moved and multiplied": ("    pred = raw.cuda() * 60", ""),
    "by a function": ("    pred = torch.sigmoid(raw)", ""),
    "by a method": ("    pred = raw.sigmoid()", ""),
    "kept for later": ("    kept = [torch.exp(raw)]", "        pred = kept[0]"),
    "and on in the loop": ("    scale = raw.exp()", "        pred = scale + 1"),
}
INSIDE = {
    "in each turn": ("", "        pred = raw.cuda() * 60"),
    "by a function in each turn": ("", "        pred = torch.sigmoid(raw)"),
    "the parameter itself": ("    pred = raw", ""),
}
SUMMANDS = {
    "a penalty that is computed once": ("    penalty = torch.exp(raw).sum()", "", " + penalty"),
    "a factor": ("    factor = raw.exp()", "", " * factor"),
}


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(program, isolated=True, select=["LL110"])]


@pytest.mark.parametrize(("before", "turn"), OUTSIDE.values(), ids=OUTSIDE.keys())
def test_what_is_computed_before_the_loop_is_gone_through_in_each_turn(before: str, turn: str) -> None:
    assert codes(PROGRAM.format(before=before, turn=turn)) == []


@pytest.mark.parametrize(("before", "turn"), INSIDE.values(), ids=INSIDE.keys())
def test_what_is_computed_in_the_turn_needs_no_more_than_that(before: str, turn: str) -> None:
    assert codes(PROGRAM.format(before=before, turn=turn)) == ["LL110"]


@pytest.mark.parametrize(("before", "turn", "plus"), SUMMANDS.values(), ids=SUMMANDS.keys())
def test_a_part_of_the_loss_that_is_computed_before(before: str, turn: str, plus: str) -> None:
    assert codes(SHARED.format(before=before, turn=turn, plus=plus)) == []
    assert codes(SHARED.format(before="", turn=f"    {before}", plus=plus)) == ["LL110"]
