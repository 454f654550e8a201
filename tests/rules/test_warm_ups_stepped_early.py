"""The first rate of a warm-up is next to none: that it is skipped harms little, and in an epoch of its own nothing would be learned (LL203)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from torch.optim import lr_scheduler
from transformers import get_cosine_schedule_with_warmup

class WarmupCosineLR(lr_scheduler.LRScheduler):
    def get_lr(self):
        return [base * min(self.last_epoch / 5, 1) for base in self.base_lrs]

model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = {built}
for epoch in range(10):
    {epoch}
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        {batch}
        optimizer.step()
"""
OWN = "WarmupCosineLR(optimizer)"
OF_TRANSFORMERS = "get_cosine_schedule_with_warmup(optimizer, 100, 1000)"
COSINE = "lr_scheduler.CosineAnnealingLR(optimizer, 10)"
RESTARTS = "lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 10)"


@pytest.mark.parametrize(
    ("built", "severity", "applicability"),
    [
        (OWN, "advice", "unsafe"),
        (OF_TRANSFORMERS, "advice", "unsafe"),
        (COSINE, "error", "safe"),
        (RESTARTS, "error", "safe"),
    ],
)
def test_once_in_an_epoch(built: str, severity: str, applicability: str) -> None:
    found = looplint.lint(PROGRAM.format(built=built, epoch="scheduler.step()", batch="pass"), isolated=True, select=["LL203"])
    assert [(f.code, f.severity, f.fix and f.fix.applicability) for f in found] == [("LL203", severity, applicability)]


@pytest.mark.parametrize(("built", "severity"), [(OWN, "warning"), (OF_TRANSFORMERS, "warning"), (COSINE, "error")])
def test_once_in_a_batch(built: str, severity: str) -> None:
    found = looplint.lint(PROGRAM.format(built=built, epoch="pass", batch="scheduler.step()"), isolated=True, select=["LL203"])
    assert [(f.code, f.severity, f.fix and f.fix.applicability) for f in found] == [("LL203", severity, "safe")]
