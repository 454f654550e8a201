"""An eval mode that is switched on for a training step is meant for all of it, also where a first forward makes the target of the second (LL301)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, loader):
        self.score = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1))
        self.optimizer = torch.optim.SGD(self.score.parameters(), lr=0.1)
        self.loader = loader

    def step(self, x, y):
        self.score.eval()
        with torch.no_grad():
            {first}
        loss = (self.score(x) - {target}).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def run(self):
        for epoch in range(3):
            for x, y in self.loader:
                self.step(x, y)
"""


@pytest.mark.parametrize(
    ("first", "target", "codes"),
    [
        pytest.param("made = self.score(x + torch.randn_like(x))", "made", [], id="the target itself"),
        pytest.param("made = x - 0.1 * self.score(x).detach()", "made", [], id="computed of it"),
        pytest.param("made = [self.score(x) for _ in range(2)]", "sum(made)", [], id="several together"),
        pytest.param("print((self.score(x).argmax(1) == y).float().mean().item())", "y", ["LL301"], id="it is measured"),
    ],
)
def test_what_the_first_forward_is_for(first: str, target: str, codes: list[str]) -> None:
    found = looplint.lint(PROGRAM.format(first=first, target=target), isolated=True)
    assert [finding.code for finding in found if finding.code == "LL301"] == codes
