"""A scheduler that nothing steps beside a rate that the program sets by hand: the rate does change."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

TRAINING = """
import torch
from torch import nn, optim
from torch.optim import lr_scheduler

def adjust(optimizer, epoch):
    for group in optimizer.param_groups:
        group["{key}"] = 0.1 ** (epoch // 10)

class Adjusting:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def __call__(self, epoch):
        self.optimizer.param_groups[0]["{key}"] = 0.1 ** (epoch // 10)

def train(loader):
    net, other = nn.Linear(8, 1), nn.Linear(8, 1)
    opt = optim.SGD(net.parameters(), lr=0.1)
    aside = optim.SGD(other.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(opt, 10){mark}
    adjusting = Adjusting(opt)
    for epoch in range(30):
        {by_hand}
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()

train([(torch.randn(4, 8), torch.randn(4, 1)) for _ in range(3)])
"""
BY_HAND = [
    "adjust(opt, epoch)",
    "adjusting(epoch)",
    "for group in opt.param_groups: group['lr'] *= 0.9",
]


def _training(by_hand: str, mark: str = "", key: str = "lr") -> str:
    return TRAINING.replace("{by_hand}", by_hand).replace("{mark}", mark).replace("{key}", key)


@pytest.mark.parametrize("by_hand", BY_HAND)
def test_it_is_advice(by_hand: str) -> None:
    assert_marked(_training(by_hand))
    (found,) = (f for f in looplint.lint(_training(by_hand), isolated=True) if f.code == "LL205")
    assert found.severity == "advice" and "follows what is set by hand alone" in found.message


def test_the_rate_of_another_optimizer_is_another_rate() -> None:
    assert_marked(_training("adjust(aside, epoch)", "  # expect: LL205"))


def test_what_is_set_before_the_epochs_is_where_the_rate_stays() -> None:
    assert_marked(_training("pass", "  # expect: LL205\n    adjust(opt, 0)"))


def test_another_setting_is_no_rate() -> None:
    assert_marked(_training("adjust(opt, epoch)", "  # expect: LL205", key="weight_decay"))
