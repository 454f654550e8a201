"""timm's losses take logits, as torch's own do."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from timm.loss import BinaryCrossEntropy, LabelSmoothingCrossEntropy, SoftTargetCrossEntropy
from torch import nn


class TeachingLoss(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base

    def forward(self, inputs, outputs, labels):
        return self.base(outputs, labels)


def train(args, loader):
    model = nn.Linear(3, 3)
    opt = torch.optim.SGD(model.parameters(), 0.1)
    {built}
    model.train()
    for x, y in loader:
        out = model(x){activation}
        opt.zero_grad()
        {applied}.backward()
        opt.step()
"""
EITHER = """if args.smoothing:
        criterion = LabelSmoothingCrossEntropy(smoothing=args.smoothing)
    else:
        criterion = SoftTargetCrossEntropy()"""


@pytest.mark.parametrize(
    ("built", "applied", "activation", "code"),
    [
        ("criterion = LabelSmoothingCrossEntropy()", "criterion(out, y)", ".softmax(-1)", "LL701"),
        (EITHER, "criterion(out, y)", ".softmax(-1)", "LL701"),
        (f"{EITHER}\n    criterion = TeachingLoss(criterion)", "criterion(x, out, y)", ".softmax(-1)", "LL701"),
        ("criterion = BinaryCrossEntropy()", "criterion(out, y)", ".sigmoid()", "LL702"),
        ("criterion = BinaryCrossEntropy()", "criterion(out, y)", ".relu()", None),
        (EITHER, "criterion(out, y)", "", None),
    ],
)
def test_probabilities_for_a_loss_of_logits(built: str, applied: str, activation: str, code: str | None) -> None:
    found = looplint.lint(PROGRAM.format(built=built, applied=applied, activation=activation))
    assert [f.code for f in found] == ([code] if code else [])
