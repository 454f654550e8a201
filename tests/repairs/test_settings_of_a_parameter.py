"""LL902's repair keeps what decides about benchmark mode besides: a parameter of whoever switches it on."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


def set_seed(seed):
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


class Net(nn.Module):
    def __init__(self, fast=True):
        super().__init__()
        torch.backends.cudnn.benchmark = {value}
        self.head = nn.Linear(3, 3)

    def forward(self, x):
        return self.head(x)


set_seed(3)
net = Net()
print(net(torch.zeros(3)).sum())
"""


@pytest.mark.parametrize(
    ("value", "repaired"),
    [
        ("True", "not torch.backends.cudnn.deterministic"),
        ("fast", "fast and not torch.backends.cudnn.deterministic"),
        ("fast or fast is None", "(fast or fast is None) and not torch.backends.cudnn.deterministic"),
    ],
)
def test_what_a_parameter_decides_stays(value: str, repaired: str) -> None:
    text = looplint.fix(PROGRAM.format(value=value), isolated=True, select=["LL902"]).text
    assert text == PROGRAM.format(value=repaired)
