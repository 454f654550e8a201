"""LL903 says nothing where a `set_epoch` is that of what is not known: it may be the sampler of the loader."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import library
import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler


class Trainer:
    def __init__(self, data, net, state):
        self.net = net
        self.state = state
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.train_loader = DataLoader(data, sampler=DistributedSampler(data)){mark}
        library.register(state)

    def epoch(self, epoch, loader):
        {call}
        for x, y in loader:
            self.opt.zero_grad()
            nn.functional.mse_loss(self.net(x), y).backward()
            self.opt.step()

    def train(self):
        for epoch in range(10):
            self.epoch(epoch, self.train_loader)


def main(data, state):
    Trainer(data, nn.Linear(3, 3), state).train()
"""
SET = [
    "loader.sampler.set_epoch(epoch)",
    "self.state.set_epoch(epoch)",
    "self.state.sampler.set_epoch(epoch)",
    "self.state.loaders[0].sampler.set_epoch(epoch)",
    'self.state["loader"].sampler.set_epoch(epoch)',
    "library.STATE.loaders.train.sampler.set_epoch(epoch)",
    "library.current().loader.sampler.set_epoch(epoch)",
    "self.loader.sampler.set_epoch(epoch)",
]


@pytest.mark.parametrize("call", SET)
def test_the_epoch_may_be_set(call: str) -> None:
    assert_marked(PROGRAM.format(call=call, mark=""))


@pytest.mark.parametrize("call", ["pass", "self.state.begin(epoch)", "library.STATE.loaders.train.sampler.reset(epoch)"])
def test_nothing_sets_the_epoch(call: str) -> None:
    assert_marked(PROGRAM.format(call=call, mark="  # expect: LL903"))
