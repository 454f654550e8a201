"""LL106: two optimizers that one function builds, and that work in one loop, are two: the step of one is none of the other's."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import torch
from torch import nn

def build(model, name):
    if name == "sgd":
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
    else:
        opt = torch.optim.Adam(model.parameters())
    return opt

def plain(model):
    return torch.optim.Adam(model.parameters())

generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
"""
LOOP = """\
for x, y in loader:
    on_generator.zero_grad()
    nn.functional.mse_loss(generator(x), y).backward()
    STEP
    on_critic.zero_grad()
    critic(generator(x).detach()).mean().backward()
    on_critic.step()
"""
BUILT = "on_generator, on_critic = build(generator, name), build(critic, name)\n"
PLAIN = "on_generator, on_critic = plain(generator), plain(critic)\n"
TRAINER = """\
class Trainer:
    def __init__(self, on_generator, on_critic):
        self.on_generator, self.on_critic = on_generator, on_critic

    def train(self, loader):
        for x, y in loader:
            self.on_generator.zero_grad()
            nn.functional.mse_loss(generator(x), y).backward()
            STEP
            if x.sum() > 0:
                self.on_critic.zero_grad()
                critic(generator(x).detach()).mean().backward()
                self.on_critic.step()

Trainer(build(generator, name), build(critic, name)).train(loader)
"""


@pytest.mark.parametrize("program", [BUILT + LOOP, PLAIN + LOOP, TRAINER])
def test_each_has_to_step(program: str) -> None:
    step = "self.on_generator.step()" if "self." in program else "on_generator.step()"
    assert [f.code for f in looplint.lint(HEAD + program.replace("STEP", step))] == []
    assert [f.code for f in looplint.lint(HEAD + program.replace("STEP", "pass"))] == ["LL106"]


TWICE = """\
def fit(model, learns):
    opt = plain(model)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        if learns:
            opt.step()

fit(generator, True)
fit(critic, LEARNS)
"""


@pytest.mark.parametrize("learns", ["False", "settings.learns"])
def test_what_one_call_leaves_out_another_does(learns: str) -> None:
    assert [f.code for f in looplint.lint(HEAD + TWICE.replace("LEARNS", learns))] == []
