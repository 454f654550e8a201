"""A model that an option puts into another one is one of the two to the program after it, and is judged as one."""

from __future__ import annotations

import pytest

import looplint

BEGIN = """\
import argparse

import torch
from torch import nn, optim

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))

    def forward(self, x):
        return self.body(x)

class Masked(nn.Module):
    def __init__(self, net, freeze=False):
        super().__init__()
        self.net = net
        if freeze:
            for p in self.parameters():
                p.requires_grad_(False)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.net(x))

parser = argparse.ArgumentParser()
parser.add_argument("--masks", action="store_true")
parser.add_argument("--frozen", default=None)
args = parser.parse_args()
"""
TRAINED = """\

def train(net, loader, opt):
    MODE
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        CLEAR
        loss.backward()
        opt.step()

def evaluate(net, loader):
    net.eval()
    GRADIENTS
        for x, y in loader:
            print(nn.functional.mse_loss(net(x), y).item())

NET = build()
opt = optim.SGD(NET.parameters(), lr=0.1)
for epoch in range(9):
    train(NET, batches, opt)
    evaluate(NET, held_out)
"""
BUILT = {
    "an if": """
def build():
    net = Net()
    if args.masks:
        net = Masked(net, freeze=args.frozen is not None)
    return net
""",
    "an else": """
def build():
    net = Net()
    if not args.masks:
        print("no masks")
    else:
        net = Masked(net, freeze=args.frozen is not None)
    return net
""",
    "an expression": """
def build():
    net = Net()
    net = Masked(net, freeze=args.frozen is not None) if args.masks else net
    return net
""",
    "an attribute": """
class Holder:
    def __init__(self):
        self.net = Net()
        if args.masks:
            self.net = Masked(self.net, freeze=args.frozen is not None)

def build():
    return Holder().net
""",
    "what several functions give": """
def plain():
    net = Net()
    if args.masks:
        net = Masked(net, freeze=args.frozen is not None)
    return net, nn.MSELoss()

def deep():
    net = nn.Sequential(Net(), Net())
    if args.masks:
        net = Masked(net)
    return net, nn.L1Loss()

def build():
    if args.frozen == "deep":
        net, loss = deep()
    else:
        net, loss = plain()
    return net
""",
}


def _codes(built: str, *, mode: str = "net.train()", clear: str = "opt.zero_grad()", gradients: str = "with torch.no_grad():") -> set[str]:
    trained = TRAINED.replace("MODE", mode).replace("CLEAR", clear).replace("GRADIENTS", gradients).replace("NET", "net")
    return {f.code for f in looplint.lint(BEGIN + built + trained)}


@pytest.mark.parametrize("built", BUILT.values(), ids=BUILT)
def test_one_of_two_models_is_judged(built: str) -> None:
    assert _codes(built) == set()
    assert _codes(built, gradients="if True:") == {"LL303"}
    assert _codes(built, mode="pass") == {"LL301"}
    assert _codes(built, clear="pass") == {"LL102"}
