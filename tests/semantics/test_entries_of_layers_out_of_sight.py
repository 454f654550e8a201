"""What a function of torch makes of what a layer out of sight has given may have a graph: an entry of a forward is not without one for that."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn
from elsewhere import create_layers


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = create_layers(3, 6)

    def forward(self, states):
        mean, spread = torch.chunk(self.layers(states), 2, dim=-1)
        return {entries}

    def sample(self, states):
        mean, spread = self(states)
        return torch.tanh({given})


def train(states):
    policy, critic = Policy(), nn.Linear(3, 3)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.1)
    while True:
        loss = critic(policy.sample(states)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("entries", "given", "expected"),
    [
        ("mean, torch.clamp(spread, -2, 2)", "spread", []),
        ("torch.clamp(mean, -2, 2), torch.clamp(spread, -2, 2)", "mean", []),
        ("torch.sigmoid(mean), torch.exp(spread)", "mean * spread", []),
        ("mean.detach(), torch.clamp(spread, -2, 2).detach()", "spread", ["LL107"]),
    ],
)
def test_an_entry_of_what_is_out_of_sight(entries: str, given: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.format(entries=entries, given=given), isolated=True)] == expected
