"""LL505 and bare parameters in a plain container: what an optimizer gets as it is, is trained."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth: int):
        super().__init__()
        self.head = nn.Linear(3, 3)
        self.weights = []{weights}
        self.biases = []{biases}
        for _ in range(depth):
            self.weights.append(nn.Parameter(torch.randn(3, 3)))
            self.biases.append(nn.Parameter(torch.randn(3)))

    def forward(self, x):
        for weight, bias in zip(self.weights, self.biases):
            x = x @ weight + bias
        return self.head(x)


net = Net(3)
optimizer = torch.optim.Adam({given}, lr=0.1)
for x, y in [(torch.ones(2, 3), torch.ones(2, 3))] * 3:
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    optimizer.step()
"""
EXPECTED = "  # expect: LL505"


@pytest.mark.parametrize(
    "given",
    [
        "net.weights + net.biases + list(net.parameters())",
        "[*net.parameters(), *net.weights, *net.biases]",
        "[{'params': net.parameters()}, {'params': net.weights}, {'params': net.biases, 'lr': 0.2}]",
    ],
)
def test_what_an_optimizer_gets_is_trained(given: str) -> None:
    assert_marked(PROGRAM.format(given=given, weights="", biases=""))


def test_what_no_optimizer_gets_is_not() -> None:
    assert_marked(PROGRAM.format(given="net.parameters()", weights=EXPECTED, biases=EXPECTED))
    assert_marked(PROGRAM.format(given="[*net.parameters(), *net.weights]", weights="", biases=EXPECTED))
