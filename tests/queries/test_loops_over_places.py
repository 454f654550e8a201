"""Loops over the places of something: `range(len(layers))` goes over the parts of a model, `range(len(batches))` over data."""

from __future__ import annotations

import pytest

import looplint

FLOW = """\
import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(4, 4)

    def forward(self, z):
        scale = self.scale(z)
        return z * torch.exp(scale), torch.sum(scale, 1)


class Flow(nn.Module):
    def __init__(self, flows):
        super().__init__()
        self.flows = nn.ModuleList(flows)

    def loss(self, z):
        total = torch.zeros(len(z))
        for flow in self.flows:
            z, log_det = flow(z)
            total -= log_det
        return total.mean()

    def log_prob(self, x):
        log_q = torch.zeros(len(x))
        z = x
        {loop}
            z, log_det = self.flows[i](z)
            log_q += log_det
        return log_q


def main(loader, held_out, count):
    flows = []
    for _ in range(count):
        flows += [Affine()]
    model = Flow(flows)
    optimizer = torch.optim.Adam(model.parameters())
    for step, x in enumerate(loader):
        optimizer.zero_grad()
        model.loss(x).backward()
        optimizer.step()
        if step % 100 == 0:
            print(torch.exp(model.log_prob(held_out)).data.numpy())
"""
SUMS = """\
import torch
from torch import nn


def main(batches, epochs):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters())
    total = 0.0
    for epoch in range(epochs):
        for i in range(len(batches)):
            x, y = batches[i]
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss
    return total
"""


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(len(self.flows)):",
        "for i in range(len(self.flows) - 1, -1, -1):",
        "for i in reversed(range(len(self.flows))):",
        "for i in range(0, len(self.flows), 1):",
    ],
)
def test_the_terms_of_the_parts_of_a_model_are_no_record(loop: str) -> None:
    assert [f.code for f in looplint.lint(FLOW.format(loop=loop), isolated=True) if f.code in ("LL401", "LL402")] == []


def test_those_of_batches_are_one() -> None:
    assert [f.code for f in looplint.lint(SUMS, isolated=True) if f.severity != "advice"] == ["LL402"]
