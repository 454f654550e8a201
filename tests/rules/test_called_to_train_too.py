"""LL303 speaks of one call, where the function calls the same module again and trains on that."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, loader, valid):
        self.net, self.head = nn.Linear(8, 8), nn.Linear(8, 1)
        self.opt = torch.optim.Adam([*self.net.parameters(), *self.head.parameters()])
        self.loader, self.valid = loader, valid

    def score(self, x):
        return torch.sigmoid(self.head(x))

    def run(self):
        for epoch in range(10):
            self.one_epoch(self.loader)

    def one_epoch(self, loader):
        right = 0.0
        for x, y in loader:
            features = self.net(x)
            loss = nn.functional.binary_cross_entropy_with_logits(self.head(features), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
{measured}
        print(right)


loader = torch.utils.data.DataLoader(torch.load("data.pt"), batch_size=8, shuffle=True)
valid = torch.utils.data.DataLoader(torch.load("valid.pt"), batch_size=8)
Trainer(loader, valid).run()
"""
OF_A_PASS = """\
        for a, b in self.valid:
            right += ((self.head(a) > 0.5) == b).float().mean().item()
"""
IN_TRAINING = """\
            for scale in (0.5, 1.0, 2.0):
                self.valid.scale = scale
                self.head.eval()
                right += (({called} > 0.5) == y).float().mean().item()
                self.head.train()
"""


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        pytest.param(IN_TRAINING.format(called="self.head(features.flip(0))"), "this call of self.head builds", id="the same module"),
        pytest.param(IN_TRAINING.format(called="self.head.forward(y)"), "every call of self.head.forward builds", id="by another name"),
        pytest.param(
            IN_TRAINING.format(called="self.score(y)"), "every call of self.head builds", id="in a function that trains on nothing"
        ),
        pytest.param(OF_A_PASS, "every call of self.head builds", id="in a pass of which it is said"),
    ],
)
def test_which_calls(measured: str, said: str) -> None:
    (finding,) = [f for f in looplint.lint(PROGRAM.format(measured=measured), isolated=True) if f.code == "LL303"]
    assert said in finding.message
