"""What gets a loss out of sight may send it backward: gradients are switched off around the model's own forward alone (LL303)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import learn2learn as l2l
import torch
from torch import nn


def evaluate(net, loader, steps):
    maml = l2l.algorithms.MAML(nn.Linear(4, 2), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    net.eval()
    norms = 0.0
    for x, y in loader:
        learner = maml.clone()
        features = net(x)
        for step in range(steps):
            loss = criterion(learner(features), y)
            {adapts}
            norms += float(norm)
    return norms
"""
ADAPTING = [
    "norm = learner.adapt(loss, return_grad_norm=True)",
    "norm = maml.adapt(loss / steps)",
    "norm = l2l.update(learner, loss)",
    "norm = learner.inner.solve(error=loss)",
]
MEASURING = ["norm = loss.item()", "norm = learner.adapt(loss.item())", "norm = learner.adapt(loss.detach())"]
ONLY_ITS_FORWARD = """\
    for x, y in loader:
        learner = maml.clone()
        with torch.no_grad():
            features = net(x)
        for step in range(steps):
"""


def repaired(program: str) -> str:
    return looplint.fix(program, isolated=True, select=["LL303"], unsafe=True).text


@pytest.mark.parametrize("adapts", ADAPTING)
def test_what_may_go_backward_out_of_sight_keeps_its_gradients(adapts: str) -> None:
    program = PROGRAM.format(adapts=adapts)
    assert ONLY_ITS_FORWARD in repaired(program)
    assert "@torch.no_grad()" not in repaired(program)


@pytest.mark.parametrize("adapts", MEASURING)
def test_what_is_only_measured_needs_none(adapts: str) -> None:
    assert "@torch.no_grad()\ndef evaluate" in repaired(PROGRAM.format(adapts=adapts))
