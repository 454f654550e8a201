"""A schedule that is built in one of two ways is a schedule as each of them is."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import argparse
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, StepLR

parser = argparse.ArgumentParser()
parser.add_argument("--schedule", default="cosine")
args = parser.parse_args()
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
CHOICE
for epoch in range(10):
    BEFORE
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    AFTER
"""
BRANCHES = """\
if args.schedule == "cosine":
    scheduler = CosineAnnealingLR(optimizer, T_max=10)
else:
    scheduler = StepLR(optimizer, 4)
"""
EXPRESSION = 'scheduler = CosineAnnealingLR(optimizer, 10) if args.schedule == "cosine" else LambdaLR(optimizer, lambda e: 0.9**e)\n'
RETURNED = """\
def build(name):
    if name == "cosine":
        return CosineAnnealingLR(optimizer, T_max=10)
    return StepLR(optimizer, 4)

scheduler = build(args.schedule)
"""
STAIRS = BRANCHES.replace("CosineAnnealingLR(optimizer, T_max=10)", "StepLR(optimizer, 2)")


@pytest.mark.parametrize("choice", [BRANCHES, EXPRESSION, RETURNED, STAIRS])
@pytest.mark.parametrize(
    ("before", "after", "codes"),
    [("pass", "scheduler.step()", []), ("scheduler.step()", "pass", ["LL203"]), ("pass", "print(scheduler.get_last_lr())", ["LL205"])],
)
def test_one_of_two(choice: str, before: str, after: str, codes: list[str]) -> None:
    program = PROGRAM.replace("CHOICE\n", choice).replace("BEFORE", before).replace("AFTER", after)
    found = looplint.lint(program)
    assert [f.code for f in found] == codes
    assert all("LR(" in program.splitlines()[f.location.row - 1] or ".step()" in program.splitlines()[f.location.row - 1] for f in found)


def test_one_that_is_passed_on() -> None:
    program = PROGRAM.replace("CHOICE\n", BRANCHES + "register(scheduler)\n")
    assert [f.code for f in looplint.lint(program.replace("BEFORE", "pass").replace("AFTER", "pass"))] == []
