"""Gradients of parameters that two optimizers hold are unscaled for both, whichever of them the scaler is given."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from torch import optim

class Aux:
    def __init__(self, model):
        self.optimizer = optim.Adam({held}.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")

    def train(self, algo, x, y):
        loss = nn.functional.mse_loss(algo.model(x), y)
        algo.model.zero_grad()
        self.scaler.scale(loss).backward()
        {unscale}
        nn.utils.clip_grad_norm_(algo.model.parameters(), 1.0){mark}
        self.scaler.step(self.optimizer)
        self.scaler.update()

class Agent:
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader
        self.optimizer = optim.Adam(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")
        self.aux = Aux(self.model)

    def train(self):
        for x, y in self.loader:
            loss = nn.functional.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            self.scaler.scale(loss).backward()
            self.scaler.unscale_(self.optimizer)
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.scaler.step(self.optimizer)
            self.scaler.update()
        for x, y in self.loader:
            self.aux.train(self, x, y)

def main():
    Agent(nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3)), torch.utils.data.DataLoader(data, shuffle=True)).train()
"""
UNSCALED = "self.scaler.unscale_(self.optimizer)"


def _program(unscale: str, held: str = "model", mark: str = "") -> str:
    return PROGRAM.replace("{unscale}", unscale).replace("{held}", held).replace("{mark}", mark)


@pytest.mark.parametrize("held", ["model", "model[0]"])
def test_the_clips_of_both_are_right(held: str) -> None:
    assert_marked(_program(UNSCALED, held))


def test_a_clip_that_nothing_unscales_for_is_reported() -> None:
    assert_marked(_program("pass", mark="  # expect: LL601"))
