"""A forward that sets the mode of its own module is run in that mode, whatever the caller left on."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn


class Base(nn.Module):
    def forward(self, x):
        {mode}
        return self.compute(x)

    def compute(self, x):
        return self.body(x).mean()

    def start(self):
        pass


class Net(Base):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))

    @torch.no_grad()
    def sample(self, n):
        self.eval()
        return self.body(torch.zeros(n, 4))


def train(loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for epoch in range(10):
        for step, x in enumerate(loader):
            optimizer.zero_grad()
            net(x).backward()
            optimizer.step()
        print(net.sample(3))
"""


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("self.train()", []),
        ("x = x * 2\n        self.train()", []),
        ("self.start()", ["LL301"]),
        ("self.train(x is None)", ["LL301"]),
        ("if x is None:\n            self.train()", ["LL301"]),
    ],
)
def test_a_forward_that_sets_its_mode(mode: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(SCRIPT.format(mode=mode), isolated=True)] == expected


VALIDATION = """

def validate(loader):
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for x in loader:
        optimizer.zero_grad()
        net(x).backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        for x in loader:
            print(net(x).item())
"""


def test_a_validation_by_a_forward_that_trains_is_cured_in_the_forward() -> None:
    (finding,) = looplint.lint(SCRIPT.format(mode="self.train()") + VALIDATION, isolated=True)
    assert finding.code == "LL302" and finding.fix is None
    assert finding.message.endswith("its forward calls train() itself, whatever its caller sets: take that out")


CLEARING = """
import torch
from torch import nn, optim

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        {first}
        return self.head(x)

def train(loader):
    net = Net()
    opt = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
"""


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("self.zero_grad()", []),
        ("x = x * 2\n        self.zero_grad(set_to_none=True)", []),
        ("self.train()\n        self.zero_grad()", []),
        ("self.train()", ["LL102"]),
        ("self.head.train()", ["LL102"]),
    ],
)
def test_a_forward_that_clears_the_gradients_of_its_module(first: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(CLEARING.format(first=first), isolated=True)] == expected
