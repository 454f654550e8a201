"""Small programs that many tests lint, a rule of a project's own, and programs that state at their lines what is found there."""

import re
from textwrap import dedent

import looplint

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
WRAPPER = """\
import torch

class Wrapper:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        self.optimizer.step()

    def zero_grad(self):
        self.optimizer.zero_grad()

"""
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
# A rule whose repair is called safe, and does not hold.
USELESS = '''"""Every optimizer is reported, with a repair that changes nothing about that.

## What it does
Reports every optimizer."""

from collections.abc import Iterator

from looplint.rule import Construct, Optimizer, Program, Report, SetArgument, only

CODE = "ACME2"


def check(program: Program) -> Iterator[Report]:
    for event in program.of(Construct):
        if only(event, Optimizer) is not None:
            yield Report(event, "an optimizer is built here", repair=SetArgument(event=event, name="maximize", value="False"))
'''


def assert_marked(program: str, *, advice: bool = False) -> None:
    """A program is reported exactly at the lines that end in `# expect: CODE`; advice does not count, unless it is asked for."""
    text = f"import torch\nfrom torch import nn\n{dedent(program)}"
    expected = {(m[1], row) for row, line in enumerate(text.splitlines(), 1) for m in re.finditer(r"# expect: (LL\d+)", line)}
    found = {(f.code, f.location.row) for f in looplint.lint(text, isolated=True) if advice or f.severity != "advice"}
    assert found == expected
