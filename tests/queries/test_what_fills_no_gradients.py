"""An environment that gets an action, and code that saves by its name, send nothing backward: a step behind them has no gradients (LL107)."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim
from simulation import make
from storage import keeping, save_to_zip_file


class Agent:
    def __init__(self, policy: nn.Module):
        self.env = make()
        self.policy = policy
        self.optimizer = optim.Adam(policy.parameters(), lr=0.1)

    def learn(self, demonstrations, path):
        self.optimizer.zero_grad()
        for observed, wanted in demonstrations:
            loss = nn.functional.cross_entropy(self.policy(observed), wanted)
            {backward}
            self.optimizer.step()
            self.optimizer.zero_grad()
            state, done = self.env.reset(), False
            env, envs = self.env, self.env
            while not done:
                action = self.policy.act(state)
                {between}
"""
LEAVING = {
    "an environment": "state, reward, done, _ = env.step(action)",
    "an environment of the object": "state, reward, done, _ = self.env.step(action)",
    "several environments": "state, reward, done, _ = envs.step(action)",
    "what saves to a file": "save_to_zip_file(path, params={'policy': self.policy.state_dict()}, variables={'policy': self.policy})",
    "what saves to a disk": "keeping.save_to_disk(self.policy, path)",
}
FILLING = {
    "what is no environment": "state, reward, done, _ = teacher.step(action)",
    "a loss": "loss = action.mean(); env.step(loss)",
    "what trains as well": "keeping.save_to_disk_and_train(self.policy, path)",
    "the environment gets the policy": "self.env.step(self.policy)",
}


@pytest.mark.parametrize("between", LEAVING.values(), ids=LEAVING)
def test_gradients_are_not_filled(between: str) -> None:
    assert _reported("pass", between) == ["LL107"]


@pytest.mark.parametrize("between", LEAVING.values(), ids=LEAVING)
def test_the_correct_program_is_silent(between: str) -> None:
    assert _reported("loss.backward()", between) == []


@pytest.mark.parametrize("between", FILLING.values(), ids=FILLING)
def test_gradients_may_be_filled(between: str) -> None:
    assert _reported("pass", between) == []


def _reported(backward: str, between: str) -> list[str]:
    text = SCRIPT.format(backward=backward, between=between).replace("make\n", "make, teacher\n", 1)
    return [f.code for f in looplint.lint(text, isolated=True, select=["LL107"])]
