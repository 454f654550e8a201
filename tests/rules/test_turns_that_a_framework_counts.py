"""A condition on what a framework counts, or on a remainder of what something out of sight counts, is no setting: both of its branches come in a run."""

from __future__ import annotations

import pytest

from programs import assert_marked

BY_HAND = """
import lightning as L
import torch
from torch import nn

class Net(L.LightningModule):
    def __init__(self, every):
        super().__init__()
        self.automatic_optimization = False
        self.every = every
        self.body = nn.Linear(3, 3)
        self.head = nn.Linear(3, 3)

    def training_step(self, batch, batch_idx):
        opt, opt_head = self.optimizers()
        x, y = batch
        loss = nn.functional.mse_loss(self.head(self.body(x)), y)
        if {test}:
            opt_head.zero_grad()
            self.manual_backward(loss){marked}
            opt_head.step()
        else:
            opt.zero_grad()
            self.manual_backward(loss){marked}
            opt.step()

    def configure_optimizers(self):
        return [torch.optim.Adam(self.body.parameters()), torch.optim.Adam(self.head.parameters())]
"""
OUT_OF_SIGHT = """
class Trainer:
    def __init__(self, net, host, every: int):
        self.net = net
        self.host = host
        self.every = every
        self.first = torch.optim.SGD(net.first.parameters(), lr=0.1)
        self.second = torch.optim.SGD(net.second.parameters(), lr=0.1)

    def fit(self, data):
        for x, y in data:
            loss = nn.functional.cross_entropy(self.net(x), y)
            if {test}:
                self.first.zero_grad()
                loss.backward(){marked}
                self.first.step()
            else:
                self.second.zero_grad()
                loss.backward(){marked}
                self.second.step()
"""


@pytest.mark.parametrize(
    "test",
    [
        "self.global_step % self.every == 0",
        "self.trainer.global_step < self.every",
        "self.current_epoch % 2",
        "self.current_epoch >= self.every",
        "self.trainer.is_last_batch",
    ],
)
def test_a_framework_counts_the_turns(test: str) -> None:
    assert_marked(BY_HAND.format(test=test, marked=""))


@pytest.mark.parametrize("test", ["self.host.steps % self.every == 0", "self.host.steps % 2", "not self.host.clock.ticks % self.every"])
def test_something_out_of_sight_counts_the_turns(test: str) -> None:
    assert_marked(OUT_OF_SIGHT.format(test=test, marked=""))


@pytest.mark.parametrize("program", [BY_HAND, OUT_OF_SIGHT])
@pytest.mark.parametrize("test", ["self.every > 1", "self.every"])
def test_a_setting_decides_for_the_run(program: str, test: str) -> None:
    assert_marked(program.format(test=test, marked="  # expect: LL106"))
