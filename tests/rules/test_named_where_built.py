"""LL205 calls a scheduler what the line calls it that builds it, whatever others call it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn, optim
from torch.optim.lr_scheduler import MultiStepLR


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 1)

    def init_optimizer(self):
        self.optimizer = optim.Adam(self.head.parameters())
        {built}
        return self.optimizer, {returned}

    def forward(self, x):
        return self.head(x)


net = Net()
optimizer, G_scheduler = net.init_optimizer()
for epoch in range(10):
    for x, y in torch.utils.data.DataLoader(torch.load("data.pt"), shuffle=True):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
"""
MADE = "MultiStepLR(self.optimizer, [3, 5])"


@pytest.mark.parametrize(
    ("built", "returned", "said"),
    [
        pytest.param(f"self.scheduler = {MADE}", "self.scheduler", "self.scheduler is never stepped", id="an attribute"),
        pytest.param(f"schedule = {MADE}", "schedule", "schedule is never stepped", id="a local name"),
        pytest.param(f"schedule: MultiStepLR = {MADE}", "schedule", "schedule is never stepped", id="a local name with a type"),
        pytest.param("pass", MADE, "G_scheduler is never stepped", id="no name: what it is called later"),
    ],
)
def test_its_name(built: str, returned: str, said: str) -> None:
    (finding,) = [f for f in looplint.lint(PROGRAM.format(built=built, returned=returned), isolated=True) if f.code == "LL205"]
    assert finding.message.startswith(said)
    assert ("call its step()" in finding.message) is built.startswith("self.")  # its last name is another one
