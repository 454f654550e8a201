"""What only a constructor sets is the same for every test of it, in whichever method and whatever else the program does with its options."""

from __future__ import annotations

import pytest

import looplint

SWITCHED = """\
import argparse
import torch
from torch import nn, optim
class Fields:
    def __init__(self, bank):
        self.use_bank = bank
        self.color = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1))
        if self.use_bank:
            self.bank = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1))
    def eval(self):
        self.color.eval()
        if self.use_bank:
            self.bank.eval()
    def train(self):
        self.color.train()
        if self.use_bank:
            self.bank.train()
    def parameters(self):
        found = [{{"params": self.color.parameters()}}]
        if self.use_bank:
            found.append({{"params": self.bank.parameters()}})
        return found
def render(x, field):
    out = field.color(x)
    if field.use_bank:
        out = out * field.bank(x)
    return out
def main(args, views):
    field = Fields(args.bank)
    opt = optim.Adam(field.parameters(), lr=0.1)
    for step in range(100):
        opt.zero_grad()
        render(views[step % 3], field).mean().backward()
        opt.step()
        if step % 10 == 0:
            field.eval()
            with torch.no_grad():
                for x in views:
                    print(render(x, field).mean().item())
            field.train()
parser = argparse.ArgumentParser()
parser.add_argument("--bank", action="store_true")
args = parser.parse_args()
{options}
main(args, [torch.randn(2, 4)] * 3)
"""


@pytest.mark.parametrize(
    "options",
    [
        "print(args)",
        "print(vars(args))",
        "print(str(argparse.Namespace(**vars(args))))",
        "for name, value in vars(args).items():\n    print(name, value)",
        "for name in vars(args):\n    print(name)",
        'print("bank" in vars(args))',
    ],
)
def test_options_that_are_shown_set_nothing(options: str) -> None:
    assert [f.code for f in looplint.lint(SWITCHED.format(options=options), isolated=True) if f.code == "LL304"] == []
