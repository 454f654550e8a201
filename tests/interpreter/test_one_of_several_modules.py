"""A call that goes to one of several modules runs one of them, whichever it is: what is said of the call is true of each."""

from __future__ import annotations

import pytest

import looplint

BEGIN = """\
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.layer(x))


class Other(Net):
    def forward(self, x):
        return self.layer(self.drop(x))


"""
RETURNED = """\
student, teacher = Net(), Other()
opt = torch.optim.SGD(student.parameters(), 0.1)

def chosen():
    if "teacher" in sys.argv:
        return teacher
    return student

def validate(loader):
    net = chosen()
    EVAL
    GRADIENTS:
        return sum(nn.functional.cross_entropy(net(x), y).item() for x, y in loader)

def train(loader, held_out):
    for epoch in range(3):
        student.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(student(x), y).backward()
            opt.step()
        print(validate(held_out))
"""
CHOSEN_THERE = """\
class Trainer:
    def __init__(self, args):
        self.net, self.average = Net(), Other()
        self.opt = torch.optim.SGD(self.net.parameters(), 0.1)
        self.best = self.average if args.average else self.net

    def validate(self, loader):
        net = self.average if self.warm else self.net
        EVAL
        GRADIENTS:
            for x, y in loader:
                print(nn.functional.cross_entropy(net(x), y).item())

    def train(self, loader, held_out):
        for epoch in range(3):
            self.net.train()
            for x, y in loader:
                self.opt.zero_grad()
                nn.functional.cross_entropy(self.net(x), y).backward()
                self.opt.step()
            self.validate(held_out)

def main(args, loader, held_out):
    Trainer(args).train(loader, held_out)
"""
CHOSEN_BEFORE = CHOSEN_THERE.replace("self.average if self.warm else self.net", "self.best")


@pytest.mark.parametrize("program", [RETURNED, CHOSEN_THERE, CHOSEN_BEFORE])
@pytest.mark.parametrize(
    ("mode", "gradients", "codes"),
    [
        ("net.eval()", "with torch.no_grad()", []),
        ("net.eval()", "if True", ["LL303"]),
        ("print(net)", "with torch.no_grad()", ["LL302"]),
    ],
)
def test_a_validation_of_one_of_two_models(program: str, mode: str, gradients: str, codes: list[str]) -> None:
    text = BEGIN + program.replace("EVAL", mode).replace("GRADIENTS", gradients)
    assert [f.code for f in looplint.lint(text) if f.severity != "advice"] == codes
