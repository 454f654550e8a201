"""What is kept under a name that the program makes up is taken by whoever makes it up again (LL106)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

class Critics(nn.Module):
    def __init__(self, scales):
        super().__init__()
        self.scales = scales
        self.nets = nn.ModuleList(nn.Linear(4, 1) for _ in range(scales))
        for s in range(scales):
            optimizer = torch.optim.Adam(self.nets[s].parameters(), lr=0.1)
            {keep}

def back(loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    {step}

def train(loader, scales):
    critics = Critics(scales)
    optimizers = [{take} for s in range(scales)]
    for x in loader:
        for s in range(scales):
            back(critics.nets[s](x).mean(), optimizers[s])
"""
NAMES = ['"optimizer_" + str(s)', 'f"optimizer_{s}"', '"optimizer_%d" % s']


@pytest.mark.parametrize("name", NAMES)
def test_an_optimizer_under_a_made_up_name_is_stepped_elsewhere(name: str) -> None:
    text = PROGRAM.format(keep=f"setattr(self, {name}, optimizer)", take=f"getattr(critics, {name})", step="optimizer.step()")
    assert looplint.lint(text, isolated=True) == []


def test_one_that_nobody_steps_is_reported() -> None:
    text = PROGRAM.format(keep="self.optimizer = optimizer", take="critics.optimizer", step="pass")
    assert "LL106" in [f.code for f in looplint.lint(text, isolated=True)]
