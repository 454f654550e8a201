"""The mode that a test asks for may be that of an entry: `if self.probes[k].training:` guards the training of each of them (LL301)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn, optim


class Fit:
    def __init__(self, names, size):
        self.probes = {k: nn.Sequential(nn.Dropout(), nn.Linear(size, 2)) for k in names}
        self.opts = {k: optim.Adam(self.probes[k].parameters()) for k in names}

    def one_epoch(self, loader):
        total = 0.0
        for x, labels in loader:
            for k, y in labels.items():
                self.opts[k].zero_grad()
                loss = nn.functional.cross_entropy(self.probes[k](x), y)
                total += loss.item()
                if TEST:
                    loss.backward()
                    self.opts[k].step()
        return total

    def train(self, loader, valid):
        for epoch in range(9):
            self.one_epoch(loader)
            self.evaluate(valid)

    def evaluate(self, loader):
        for k, probe in self.probes.items():
            probe.eval()
        print(self.one_epoch(loader))
        for k, probe in self.probes.items():
            probe.train()
"""


@pytest.mark.parametrize(
    ("test", "codes"),
    [
        ("self.probes[k].training", []),
        ("not (not self.probes[k].training)", []),
        ("self.probes[k].training and len(x) > 1", []),
        ("x.requires_grad", ["LL301"]),
        ("len(x) > 1", ["LL301"]),
    ],
)
def test_the_mode_of_an_entry(test: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.replace("TEST", test), isolated=True) if f.code == "LL301"] == codes
