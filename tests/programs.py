"""Small programs that many tests lint, and a rule of a project's own."""

BROKEN = """\
import torch
from torch import nn, optim

net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
"""
CLEAN = BROKEN.replace("    loss =", "    opt.zero_grad()\n    loss =")
RULE = '''"""Nothing may step here.

## What it does
Reports every step."""

from collections.abc import Iterator

from looplint.rule import Program, Report, Step

CODE = "ACME1"


def check(program: Program) -> Iterator[Report]:
    for event in program.of(Step):
        yield Report(event, "a step is made here")
'''
