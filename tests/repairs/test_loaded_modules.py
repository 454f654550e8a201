"""A whole module that is loaded runs where its tensors lie: it is not put on the CPU where nothing moves it from there."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(4, 2).to(self.device)

    def save(self, path):
        torch.save({{"net": self.net}}, path)

    def load(self, path):
        {load}
        self.net.eval()

    def fit(self, loader):
        optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(self.net(x.to(self.device)), y).backward()
            optimizer.step()
"""
KEPT = 'state = torch.load(path)\n        self.net = state["net"]'


def repairs(load: str) -> list[str | None]:
    found = looplint.lint(PROGRAM.format(load=load), isolated=True)
    return [finding.fix.message if finding.fix else None for finding in found if finding.code == "LL803"]


@pytest.mark.parametrize("load", [KEPT, 'self.net = torch.load(path)["net"]', "self.net = torch.load(path)"])
def test_a_module_that_nothing_moves(load: str) -> None:
    assert repairs(load) == [None]


@pytest.mark.parametrize(
    "load",
    [
        f"{KEPT}\n        self.net.to(self.device)",
        'net = torch.load(path)["net"]\n        self.net = net.to(self.device)',
        "self.net = torch.load(path).to(self.device)",
    ],
)
def test_a_module_that_is_moved_from_there(load: str) -> None:
    assert [title for title in repairs(load) if title] == ['Pass map_location="cpu"']
