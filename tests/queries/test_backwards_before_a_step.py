"""A backward that one function makes before its only step is meant for that: LL107 doubts what it knows of the loss, and says nothing."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, net):
        self.opt = torch.optim.Adam(net.parameters())

    def optimize(self, loss):
        BODY


def main(policy, critic, loader, build):
    policy, critic = nn.Linear(3, 2), nn.Linear(2, 1)
    actor, judge = Trainer(policy), Trainer(critic)
    for x, y in loader:
        judge.optimize(nn.functional.mse_loss(critic(y), x))
        actions = build(policy(x).detach().sample())
        actor.optimize(-critic(actions).mean())
"""
PAIRED = {
    "one after the other": "self.opt.zero_grad()\n        loss.backward()\n        self.opt.step()",
    "clipped": "self.opt.zero_grad()\n        loss.backward()\n        nn.utils.clip_grad_norm_(clipped, 1.0)\n        self.opt.step()",
    "cleared behind": "loss.backward()\n        self.opt.step()\n        self.opt.zero_grad()",
}


def codes(program: str) -> list[str]:
    return [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL107"]


@pytest.mark.parametrize("body", PAIRED.values(), ids=PAIRED)
def test_what_a_function_pairs_is_not_doubted(body: str) -> None:
    assert codes(PROGRAM.replace("BODY", body)) == []


def test_a_step_without_one_is_reported() -> None:
    assert codes(PROGRAM.replace("BODY", "self.opt.zero_grad()\n        self.opt.step()")) == ["LL107"]


GAN = """\
import torch
from torch import nn


def main(loader):
    gen, critic = nn.Linear(3, 3), nn.Linear(3, 1)
    opt_g, opt_c = torch.optim.Adam(gen.parameters()), torch.optim.Adam(critic.parameters())
    for x in loader:
        opt_c.zero_grad()
        critic(gen(x).detach()).mean().backward()
        opt_c.step()
        opt_g.zero_grad()
        loss = critic(gen(x)).mean()
        opt_g.step()
"""


def test_a_backward_of_another_optimizer_that_steps_beside_it_is_not_meant() -> None:
    assert codes(GAN) == ["LL107"]
