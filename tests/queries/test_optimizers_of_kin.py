"""An attribute that is given a new optimizer elsewhere is one optimizer to the method that uses it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.cuda.amp import GradScaler

class Trainer:
    def __init__(self, model: nn.Module, clip):
        self.model = model
        self.clip = clip
        self.scaler = GradScaler()
        self.optimizer = self.made(1e-3)

    def made(self, lr):
        return torch.optim.AdamW(self.model.parameters(), lr=lr)

    def reset(self):
        self.optimizer = REBUILT

    def step(self, loss):
        self.scaler.scale(loss).backward()
        UNSCALE
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()

def main(loader, model: nn.Module):
    trainer = Trainer(model, 1.0)
    for epoch in range(3):
        trainer.reset()
        for x in loader:
            trainer.step(trainer.model(x).sum())
"""
REBUILT = [
    "torch.optim.AdamW(self.model.parameters(), lr=1e-4)",
    "self.made(1e-4)",
    "torch.optim.SGD(self.model.parameters(), lr=1e-4) if self.clip else self.made(1e-4)",
]


def _codes(rebuilt: str, unscale: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("REBUILT", rebuilt).replace("UNSCALE", unscale))]


@pytest.mark.parametrize("rebuilt", REBUILT)
def test_what_was_unscaled_is_what_steps(rebuilt: str) -> None:
    assert _codes(rebuilt, "self.scaler.unscale_(self.optimizer)") == []


@pytest.mark.parametrize("rebuilt", REBUILT)
def test_a_clip_of_scaled_gradients_is_still_seen(rebuilt: str) -> None:
    assert _codes(rebuilt, "pass") == ["LL601"]
