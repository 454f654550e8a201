"""What a module out of sight is called by may be a method, which has no `train()`: messages name what has one (LL301, LL304)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn, optim
from elsewhere import build


class Algorithm:
    def __init__(self, config):
        self.policy = build(config)
        self.optimizer = optim.Adam(self.policy.parameters())
        {moved}

    def observe(self, data):
        self.optimizer.zero_grad()
        loss = self.policy.compute_loss(data)
        loss.backward()
        self.optimizer.step()

    def learn(self, train, valid):
        for epoch in range(50):
            for data in train:
                self.observe(data)
            self.policy.eval()
            with torch.no_grad():
                print(sum(self.policy.compute_loss(data).item() for data in valid))
"""


@pytest.mark.parametrize(
    ("moved", "name"),
    [("pass", "self.policy"), ("self.policy.compute_loss.to('cuda')", "self.policy.compute_loss")],
    ids=["a method", "a part that is moved"],
)
def test_the_message_names_what_has_modes(moved: str, name: str) -> None:
    (found,) = looplint.lint(PROGRAM.format(moved=moved), select=["LL301"])
    assert found.message.startswith(f"{name} is ") and f"calls {name}.train()" in found.message
