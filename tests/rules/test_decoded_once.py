"""A graph that a model's own method builds step by step is one graph: LL303 is advice where the method is called once, and a warning in a loop around it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 8)
        self.head = nn.Linear(8, 5)

    def forward(self, x, h):
        return self.head(self.cell(x, h))

    def sample(self, x, steps):
        h = torch.zeros(len(x), 8)
        for t in range(steps):
            h = self.cell(x, h)
        return self.head(h)


net = Decoder()
opt = torch.optim.Adam(net.parameters())
for epoch in range(10):
    for x, h, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x, h), y).backward()
        opt.step()
net.eval()
MEASURE
"""
ONCE = {
    "a script": "print(net.sample(start(4), 50).argmax(1).tolist())",
    "a function": "def show(x):\n    print(net.sample(x, 50).argmax(1).tolist())\n\nshow(start(4))",
    "a turn that is the last": "for x in [start(4)]:\n    print(net.sample(x, 50).argmax(1).tolist())\n    break",
}
AGAIN = {
    "batches": "for x, _, y in valid:\n    print((net.sample(x, 50).argmax(1) == y).sum().item())",
    "a function over batches": (
        "def measure(batches):\n    for x, _, y in batches:\n        print((net.sample(x, 50).argmax(1) == y).sum().item())\n\nmeasure(valid)"
    ),
    "a count": "for i in range(1000):\n    print(net.sample(start(4), 50).argmax(1).tolist())",
    "a loop of the script's own": (
        "h = torch.zeros(4, 8)\nfor t in range(500):\n    h = net.cell(start(4), h)\n    print(net.head(h).argmax(1).tolist())"
    ),
}


def severities(measure: str) -> set[str]:
    found = looplint.lint(PROGRAM.replace("MEASURE", measure), isolated=True)
    return {f.severity for f in found if f.code == "LL303"}


@pytest.mark.parametrize("measure", ONCE.values(), ids=ONCE)
def test_a_graph_that_is_built_once_is_advice(measure: str) -> None:
    assert severities(measure) == {"advice"}


@pytest.mark.parametrize("measure", AGAIN.values(), ids=AGAIN)
def test_one_in_each_turn_is_a_warning(measure: str) -> None:
    assert severities(measure) == {"warning"}
