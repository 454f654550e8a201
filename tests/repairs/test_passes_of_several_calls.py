"""A pass that shares its function with training is switched at the calls that only validate: at all of them, or gradients stay on in the others (LL303)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


def run_epoch(loader, model, optimizer, is_eval):
    losses = []
    if is_eval:
        model.eval()
    else:
        model.train()
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        losses.append(loss.item())
        if not is_eval:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return sum(losses) / len(losses)


def main(loader, valid, test):
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters())
{before}
    for epoch in range(10):
        run_epoch(loader, model, optimizer, is_eval=False)
        loss = run_epoch(valid, model, optimizer, is_eval=True)
        print(loss)
{after}
"""
OF_VALID = "        with torch.no_grad():\n            loss = run_epoch(valid, model, optimizer, is_eval=True)\n"
BEFORE = "    first = run_epoch(valid, model, optimizer, is_eval=True)"
AFTER = "    last = run_epoch(test, model, optimizer, is_eval=True)"


@pytest.mark.parametrize(("before", "after"), [("", ""), (BEFORE, ""), ("", AFTER), (BEFORE, AFTER)])
def test_each_call_that_only_validates_is_switched(before: str, after: str) -> None:
    program = PROGRAM.format(before=before, after=after)
    text = looplint.fix(program, isolated=True, select=["LL303"]).text
    assert OF_VALID in text
    assert text.count("with torch.no_grad():") == 1 + bool(before) + bool(after)
    assert "        run_epoch(loader, model, optimizer, is_eval=False)" in text
    assert not looplint.lint(text, isolated=True, select=["LL303"])
