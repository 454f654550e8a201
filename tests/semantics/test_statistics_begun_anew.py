"""A pass after `reset_running_stats()` estimates the statistics of batch norm anew: it must find train mode."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

KINDS = (nn.BatchNorm1d, nn.BatchNorm2d)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        return self.norm(self.first(x))


def begin(layer):
    if isinstance(layer, KINDS):
        layer.reset_running_stats()


def measure(net, loader):
    hits = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (net(x).argmax(1) == y).sum().item()
    print(hits)


def main(loader, valid):
    net = {built}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        net.train()
        {before}
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
        {after}
        measure(net, valid)


main(LOADER, VALID)
"""
LOOP = "for layer in net.modules():\n            if isinstance(layer, KINDS):\n                layer.reset_running_stats()"
NAMED = LOOP.replace("layer in net.modules()", "_, layer in net.named_modules()")
NET, SEQUENCE = "Net()", "nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))"


def codes(built: str, before: str, after: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(built=built, before=before, after=after), isolated=True)]


@pytest.mark.parametrize("built", [NET, SEQUENCE])
@pytest.mark.parametrize("after", [LOOP, NAMED, "net.apply(begin)", "[begin(layer) for layer in net.modules()]"])
def test_a_pass_that_estimates_statistics(built: str, after: str) -> None:
    assert "LL302" not in codes(built, "pass", after)


def test_one_norm_whose_statistics_are_begun_anew() -> None:
    assert "LL302" not in codes(NET, "pass", "net.norm.reset_running_stats()")


@pytest.mark.parametrize("built", [NET, SEQUENCE])
@pytest.mark.parametrize("before", [LOOP, "net.apply(begin)", "pass"])
def test_a_pass_behind_a_training(built: str, before: str) -> None:
    assert "LL302" in codes(built, before, "pass")
