"""LL603 says when the autocast is on, where the program leaves that open."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
args = parser.parse_args()
model = nn.Linear(3, 3).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    with torch.cuda.amp.autocast({given}):
        loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("enabled=args.amp", "under float16 autocast, on where args.amp, and goes"),
        ("args.amp and torch.cuda.is_available()", "under float16 autocast, on where (args.amp and torch.cuda.is_available()), and goes"),
        ("", "under float16 autocast and goes"),
        ("enabled=True", "under float16 autocast and goes"),
    ],
)
def test_the_condition_is_said(given: str, said: str) -> None:
    (found,) = [f for f in looplint.lint(PROGRAM.format(given=given), isolated=True) if f.code == "LL603"]
    assert said in found.message


def test_an_autocast_that_is_off_is_none() -> None:
    assert not [f for f in looplint.lint(PROGRAM.format(given="enabled=False"), isolated=True) if f.code == "LL603"]
