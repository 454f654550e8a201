"""A scheduler of the program that steps one that it keeps itself is what that one is stepped by, whatever it derives from."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, LRScheduler, StepLR

class Schedule(BASE):
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.scheduler = StepLR(optimizer, 3)MARK
        self.further = FURTHER
        super().__init__(optimizer)

    def step(self, epoch=None):
        STEP

def main(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = Schedule(optimizer)
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        schedule.step()
"""
FURTHER = "[CosineAnnealingLR(optimizer, 5)]"
STEPS = {
    "with the inner one": ("[]", "self.scheduler.step(epoch)"),
    "with one of two": (FURTHER, "(self.scheduler if self.optimizer.rate > 3 else self.further[0]).step()"),
    "with all of them": (FURTHER, "[each.step() for each in (self.scheduler, *self.further)]"),
}


def _program(base: str, further: str, step: str, mark: str) -> str:
    return PROGRAM.replace("BASE", base).replace("FURTHER", further).replace("STEP", step).replace("MARK", mark)


@pytest.mark.parametrize("base", ["LRScheduler", "StepLR"])
@pytest.mark.parametrize(("further", "step"), STEPS.values(), ids=STEPS)
def test_the_inner_one_is_stepped(base: str, further: str, step: str) -> None:
    assert_marked(_program(base, further, step, ""), advice=True)


def test_one_that_its_step_leaves_out() -> None:
    assert_marked(_program("LRScheduler", "[]", "self.optimizer.rate = 0.1", "  # expect: LL205"), advice=True)
