"""apex's FP16_Optimizer sends a loss backward and steps the optimizer that it is put around: under whatever condition it stands, that one steps."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import argparse
import torch
from torch import nn
from WHERE import FP16_Optimizer

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
parser.add_argument("--every", type=int, default=1)
args = parser.parse_args()
model = nn.Linear(2, 2)
if args.fp16:
    from apex.optimizers import FusedAdam
    optimizer = FusedAdam(model.parameters())
    optimizer = FP16_Optimizer(optimizer, dynamic_loss_scale=True)
else:
    optimizer = torch.optim.Adam(model.parameters())
for step, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / args.every
    if args.fp16:
        optimizer.backward(loss)
    else:
        loss.backward()
    if (step + 1) % args.every == 0:
        STEP
"""


@pytest.mark.parametrize("where", ["apex.optimizers", "apex.contrib.optimizers", "apex.fp16_utils"])
@pytest.mark.parametrize(
    ("step", "codes"),
    [
        ("optimizer.step(); optimizer.zero_grad()", []),
        ("optimizer.step()", ["LL102"]),
        ("optimizer.zero_grad()", ["LL106"]),
    ],
)
def test_one_optimizer_steps(where: str, step: str, codes: list[str]) -> None:
    found = [f.code for f in looplint.lint(PROGRAM.replace("WHERE", where).replace("STEP", step)) if f.code.startswith("LL10")]
    assert sorted(set(found)) == codes
