"""A model that is its own trainer is followed as one where what it sends backward has no name."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch


class Reward(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def learn(self, batches):
        for x, y in batches:
            loss = torch.nn.functional.mse_loss(self.net(x), y)
            penalty = self.net.weight.square().mean()
            {backward}
            self.optimizer.step()
"""


@pytest.mark.parametrize(
    "backward",
    ["(loss + penalty).backward()", "(0.1 * loss).backward()", "torch.stack([loss, penalty]).sum().backward()", "loss.backward()"],
    ids=["a sum", "a product", "a call", "a name"],
)
def test_the_training_is_judged(backward: str) -> None:
    assert [finding.code for finding in looplint.lint(PROGRAM.format(backward=backward), isolated=True)] == ["LL102"]
