"""What a method out of sight gives, or what is kept under the name of a metric, may have no graph, and what only lends its sizes lends no graph."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

def train(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    kept = []
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            BODY
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        # A method may take its values without their graph, or give numbers.
        ("loss = model(x).mean(); kept.append(model.get_view_for('fc1', x))", []),
        ("loss = model(x).mean(); kept.append(1 - model.masks(x))", []),
        ("loss = model.loss(x, y); kept.append(model.loss(x, y))", ["LL401"]),
        ("loss = model.energy(x); kept.append(loss)", ["LL401"]),
        # Two results, of which one is a metric.
        ("loss, acc = model(x, y); kept.append(acc)", []),
        ("loss, top1 = model(x, y); kept.append(top1 * len(x))", []),
        ("loss, val_acc5 = model(x, y); kept.append(val_acc5)", []),
        ("loss, acc = model(x, y); kept.append(loss)", ["LL401"]),
        # What lends its sizes, its type or its form.
        ("loss = model(x).mean(); kept.append(torch.ones(1).expand_as(model(x)))", []),
        ("loss = model(x).mean(); kept.append(torch.ones(4).view_as(model(x)))", []),
        ("loss = model(x).mean(); kept.append(torch.ones(4).type_as(model(x)))", []),
        ("loss = model(x).mean(); kept.append(loss.expand_as(x))", ["LL401"]),
    ],
)
def test_what_is_kept(body: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.replace("BODY", body)) if f.code == "LL401"] == codes
