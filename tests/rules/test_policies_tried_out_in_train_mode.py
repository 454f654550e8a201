"""A policy that a function of evaluation tries out, without gradients, runs in eval mode where that matters (LL302)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch, gym
    from torch import nn

    class Trainer:
        def __init__(self, env, data):
            self.env, self.data = env, data
            self.model = nn.Sequential(nn.Linear(4, 8), {layer}, nn.Linear(8, 2))
            self.opt = torch.optim.Adam(self.model.parameters())

        def step(self, states, actions):
            loss = nn.functional.mse_loss(self.model(states), actions)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

        def {name}(self, episodes):
            {mode}
            rewards = []
            for _ in range(episodes):
                rewards.append(self.rollout())
            self.model.train()
            return sum(rewards)

        {grad}
        def rollout(self):
            state, done, total = self.env.reset(), False, 0.0
            while not done:
                action = self.model(torch.as_tensor(state)).cpu().numpy()
                state, reward, done, _ = self.env.step(action)
                total += reward
            return total

    def main(data):
        trainer = Trainer(gym.make("Hopper-v2"), data)
        for number in range(1000):
            trainer.step(*data.sample())
            if number % 100 == 0:
                print(trainer.{name}(10))

    main(read())
"""
PLAIN = {"layer": "nn.Dropout(0.1)", "name": "evaluate", "mode": "pass", "grad": "@torch.no_grad()"}


@pytest.mark.parametrize("changed", [{}, {"layer": "nn.BatchNorm1d(8)"}, {"name": "eval_policy"}, {"name": "test"}])
def test_it_is_reported(changed: dict[str, str]) -> None:
    assert codes(**changed) == ["LL302"]


@pytest.mark.parametrize(
    "changed",
    [{"mode": "self.model.eval()"}, {"layer": "nn.ReLU()"}, {"layer": "unknown()"}, {"name": "collect"}],
    ids=["in eval mode", "no layer differs", "a layer is not known", "episodes to train on"],
)
def test_it_stays_quiet(changed: dict[str, str]) -> None:
    assert codes(**changed) == []


def codes(**changed: str) -> list[str]:
    found = looplint.lint(dedent(PROGRAM.format(**PLAIN | changed)), isolated=True)
    return [f.code for f in found if f.severity != "advice" and f.code == "LL302"]
