"""What LL701 says of a loss that is measured, and trains nothing."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
import torch.nn.functional as F

def score(outputs, y, criterion=nn.CrossEntropyLoss()):
    probabilities = outputs.OPERATION
    return criterion(probabilities, y)

def run(loader, valid, net: nn.Module, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = TRAINED
        loss.backward()
        optimizer.step()
    net.eval()
    total = 0.0
    CONTEXT
        for x, y in valid:
            total += MEASURED.item()
    net.train()
    return total
"""
INLINE = "F.cross_entropy(net(x).OPERATION, y)"
PLAIN = "F.cross_entropy(net(x), y)"


def _said(operation: str, trained: str, measured: str, context: str = "with torch.no_grad():") -> list[str]:
    text = PROGRAM.replace("TRAINED", trained).replace("MEASURED", measured).replace("CONTEXT", context).replace("OPERATION", operation)
    harms = ("training slow", "the loss says little")
    return [next(harm for harm in harms if harm in f.message) for f in looplint.lint(text, isolated=True) if f.code == "LL701"]


@pytest.mark.parametrize("operation", ["softmax(1)", "sigmoid()"])
@pytest.mark.parametrize("measured", [INLINE, "score(net(x), y)"])
@pytest.mark.parametrize("context", ["with torch.no_grad():", "with torch.inference_mode():", "if True:"])
def test_a_loss_that_is_measured_trains_nothing(operation: str, measured: str, context: str) -> None:
    assert _said(operation, PLAIN, measured, context) == ["the loss says little"]


@pytest.mark.parametrize("operation", ["softmax(1)", "sigmoid()"])
@pytest.mark.parametrize(
    ("trained", "measured", "said"),
    [
        (INLINE, PLAIN, ["training slow"]),
        (INLINE, INLINE, ["training slow", "the loss says little"]),
        ("score(net(x), y)", "score(net(x), y)", ["training slow"]),
        ("score(net(x), y)", PLAIN, ["training slow"]),
    ],
)
def test_one_that_is_trained_on(operation: str, trained: str, measured: str, said: list[str]) -> None:
    assert _said(operation, trained, measured) == said


def test_logits_are_right() -> None:
    assert _said("relu()", PLAIN, "F.cross_entropy(net(x).log_softmax(1), y)") == []
