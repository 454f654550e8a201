"""What a model keeps and applies may have dropout or batch norm where nothing is known of it; what goes by the name of a function has none."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import library
import torch
from torch import nn, optim

class Net(nn.Module):
    def __init__(self, base=None):
        super().__init__()
        self.LEFT
        self.head = nn.Linear(3, 4)

    def forward(self, x):
        return FORWARD

    def features(self, x):
        return self.encoder(x)

def train(loader, held_out, options):
    MADE
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        right = 0
        with torch.no_grad():
            for x, y in held_out:
                right += (net(x).argmax(1) == y).sum().item()
        print(right)
"""


def _found(left: str, forward: str, made: str = "net = Net()") -> list[str]:
    program = PROGRAM.replace("LEFT", left).replace("FORWARD", forward).replace("MADE", made)
    return [f.severity for f in looplint.lint(program, select=["LL302"])]


@pytest.mark.parametrize(
    ("left", "forward", "made"),
    [
        ("base = library.ResNet(3)", "self.head(self.base(x))", "net = Net()"),
        ("encoder = library.create(3)", "self.head(self.features(x))", "net = Net()"),
        ("base = base", "self.head(self.base(x))", "net = Net(library.make())"),
        ("base = base", "self.head(self.base(x))", "net = Net(options.base(pretrained=True))"),
    ],
)
def test_what_is_applied_may_have_layers_of_any_kind(left: str, forward: str, made: str) -> None:
    assert _found(left, forward, made) == ["warning"]


@pytest.mark.parametrize(
    ("left", "forward"),
    [
        ("act = library.get_activation('relu')", "self.act(self.head(x))"),
        ("loss_fn = library.get_loss()", "self.loss_fn(self.head(x))"),
        ("avg_pool = library.pooling(3)", "self.head(self.avg_pool(x))"),
        ("width = library.width()", "self.head(x) / self.width"),
        ("base = library.ResNet(3)", "self.head(x)"),
        ("base = nn.Linear(3, 3)", "self.head(self.base(x))"),
    ],
)
def test_functions_and_what_is_not_applied_have_no_modes(left: str, forward: str) -> None:
    assert _found(left, forward) == []
