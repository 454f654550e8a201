"""What is reported of a step that a caller out of sight repeats."""

from __future__ import annotations

import pytest

import looplint

TRAINER = """
import torch
from torch import nn

class Trainer:
    def __init__(self, model: nn.Module, use_amp: bool):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cuda", enabled=use_amp)
    def train_step(self, batch, targets):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(self.model(batch), targets)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
{after}
"""
UPDATED = {
    "at once": "        self.scaler.update()",
    "by a method that nobody calls either": "    def finish(self):\n        self.scaler.update()",
    "by code out of sight": "        finish(self.scaler)",
    "by a class out of sight, perhaps": "        register(self)",
}


def codes(after: str) -> list[str]:
    return [f.code for f in looplint.lint(TRAINER.replace("{after}", after), isolated=True) if f.severity != "advice"]


def test_a_scaler_that_nothing_updates() -> None:
    assert codes("        return loss.item()") == ["LL602"]


@pytest.mark.parametrize("after", UPDATED.values(), ids=UPDATED.keys())
def test_a_scaler_that_something_updates(after: str) -> None:
    assert codes(after) == []


def test_a_script_that_steps_once() -> None:
    script = """
import torch
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
scaler.scale(model(torch.rand(3, 1)).sum()).backward()
scaler.step(optimizer)
"""
    assert [f.code for f in looplint.lint(script, isolated=True) if f.severity != "advice"] == []
