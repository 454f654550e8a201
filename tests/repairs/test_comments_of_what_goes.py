"""A repair that removes a statement leaves the comments above it: what they say is their author's."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.softmax = nn.Linear(8, 4), nn.Softmax(dim=1)

    def forward(self, x):
        output = self.layer(x)
{removed}
        return output


def train(loader):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
"""
REMOVED = "        output = self.softmax(output)\n"
CACHE = """\
import torch
from torch import nn

net = nn.Linear(8, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in torch.load("batches.pt"):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    # The other process needs memory.
    torch.cuda.empty_cache()
"""


@pytest.mark.parametrize(
    "comments",
    [
        pytest.param(("# print(output)",), id="code that was commented out"),
        pytest.param(("# What comes out here are scores.", "# Probabilities of the classes:"), id="two lines"),
        pytest.param((), id="none"),
    ],
)
def test_comments_stay(comments: tuple[str, ...]) -> None:
    above = "".join(f"        {line}\n" for line in comments)
    text = PROGRAM.format(removed=f"{above}{REMOVED}        # print(output)")
    assert looplint.fix(text, unsafe=True, isolated=True, select=["LL701"]).text == text.replace(REMOVED, "")


def test_a_call_that_goes() -> None:
    repaired = looplint.fix(CACHE, unsafe=True, isolated=True, select=["LP005"]).text
    assert repaired == CACHE.replace("    torch.cuda.empty_cache()\n", "")
