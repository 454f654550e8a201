"""A scheduler that an object of the program steps is stepped where a framework, or the program, steps that object."""

from __future__ import annotations

import pytest

from programs import assert_marked

WRAPPER = """
import lightning as L
import torch
from torch import nn
from torch.optim import lr_scheduler

class Delayed{base}:
    def __init__(self, scheduler, first):
        self.scheduler = scheduler
        self.first = first
        self.current = 0
        self.optimizer = scheduler.optimizer

    def step(self):
        if self.current >= self.first:
            self.scheduler.step()
        self.current += 1

class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.mse_loss(self.body(x), y)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.1)
        cosine = lr_scheduler.CosineAnnealingLR(optimizer, 10){marked}
        delayed = {delayed}
        return {given}
"""
BESIDE = """
class Delayed(torch.optim.lr_scheduler.{base}):
    def __init__(self, scheduler, first):
        self.scheduler = scheduler
        super().__init__(scheduler.optimizer, scheduler.last_epoch)

net = nn.Linear(2, 2)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
stairs = torch.optim.lr_scheduler.StepLR(optimizer, 3){marked}
delayed = {delayed}
for epoch in range(4):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    {stepped}
"""
BASES = ["", "(lr_scheduler.LRScheduler)", "(lr_scheduler._LRScheduler)", "(torch.optim.lr_scheduler._LRScheduler)"]
GIVEN = ["[optimizer], [delayed]", '{"optimizer": optimizer, "lr_scheduler": {"scheduler": delayed, "interval": "step"}}']


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("given", GIVEN)
def test_a_framework_steps_the_wrapper(base: str, given: str) -> None:
    assert_marked(WRAPPER.format(base=base, given=given, delayed="Delayed(scheduler=cosine, first=3)", marked=""))


@pytest.mark.parametrize("given", ["optimizer", "[optimizer]", '{"optimizer": optimizer}'])
def test_nothing_is_put_around_it(given: str) -> None:
    assert_marked(WRAPPER.format(base="", given=given, delayed="None", marked="  # expect: LL205"))


def test_the_wrapper_is_not_given_to_the_framework() -> None:
    assert_marked(WRAPPER.format(base="", given="optimizer", delayed="Delayed(cosine, 3)", marked="  # expect: LL205"))


@pytest.mark.parametrize("base", ["LRScheduler", "_LRScheduler"])
def test_it_sets_the_rate_of_the_optimizer_of_what_it_wraps(base: str) -> None:
    delayed = "Delayed(scheduler=torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10), first=3)"
    advised = BESIDE.format(base=base, delayed=delayed, stepped="delayed.step()", marked="  # expect: LL205")
    assert_marked(advised.replace("  # expect: LL205", ""))
    assert_marked(advised, advice=True)
    assert_marked(BESIDE.format(base=base, delayed="None", stepped="pass", marked="  # expect: LL205"))
