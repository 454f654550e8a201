"""A loss that a subclass sets again to one of the same class is one loss."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

class Client:
    def __init__(self, model):
        self.model = model
        self.loss = BASE
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def configure(self):
        pass

class Proximal(Client):
    def __init__(self, model):
        super().__init__(model)
        FIRST

    def configure(self):
        SECOND

    def train(self, loader):
        for x, y in loader:
            output = self.model(x)
            loss = self.loss(OUTPUT, y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

client = Proximal(nn.Linear(2, 2))
client.configure()
client.train(loader)
"""
CROSS = "nn.CrossEntropyLoss()"


@pytest.mark.parametrize(
    ("base", "first", "second", "codes"),
    [
        (CROSS, f"self.loss = {CROSS}", "pass", ["LL701"]),
        (CROSS, "pass", f"self.loss = {CROSS}", ["LL701"]),
        (CROSS, f"self.loss = {CROSS}", f"self.loss = {CROSS}", ["LL701"]),
        (CROSS, "pass", "pass", ["LL701"]),
        # Which of two it is then, nothing tells.
        ("nn.NLLLoss()", f"self.loss = {CROSS}", "pass", []),
        (CROSS, "self.loss = nn.NLLLoss()", "pass", []),
    ],
)
def test_a_softmax_before_it(base: str, first: str, second: str, codes: list[str]) -> None:
    program = PROGRAM.replace("BASE", base).replace("FIRST", first).replace("SECOND", second)
    found = [f.code for f in looplint.lint(program.replace("OUTPUT", "output.softmax(dim=-1)")) if f.severity == "error"]
    assert found == codes
    assert looplint.lint(program.replace("OUTPUT", "output")) == []
