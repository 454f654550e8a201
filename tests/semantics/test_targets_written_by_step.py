"""A tensor that a loop fills step by step comes from what put out the values, with their graphs or without: returns are what a loss is measured by."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from elsewhere import envs


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))

    def get_value(self, x):
        return self.critic(x)


def main():
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters())
    rewards, values, states = torch.zeros(16, 8), torch.zeros(16, 8), torch.zeros(16, 8, 4)
    for update in range(100):
        agent.train()
        for step in range(16):
            states[step], rewards[step], values[step] = envs.step()
        with torch.no_grad():
            last = agent.get_value(states[-1]).reshape(1, -1)
            returns = torch.zeros_like(rewards)
            for t in reversed(range(16)):
                {written}
        for epoch in range(4):
            value = agent.get_value(states.reshape(-1, 4)).view(-1)
            loss = ((value - {target}.reshape(-1)) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        agent.eval()
        print(agent.get_value(envs.reset()).mean().item())


main()
"""

GAE = "returns[t] = last = rewards[t] + 0.9 * last - values[t]"


def codes(written: str, target: str = "returns") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(written=written, target=target), isolated=True)]


@pytest.mark.parametrize(
    "written",
    [
        "returns[t] = rewards[t] + 0.9 * last - values[t]",
        GAE,
        "returns[t] = rewards[t] + 0.9 * (last if t == 15 else values[t + 1]) - values[t]",
    ],
)
def test_what_targets_are_made_of_is_no_validation(written: str) -> None:
    assert "LL302" not in codes(written)


@pytest.mark.parametrize(("written", "target"), [(GAE, "rewards"), ("returns[t] = (rewards[t] - last).abs()", "values")])
def test_what_is_only_measured_is_one(written: str, target: str) -> None:
    assert "LL302" in codes(written, target)
