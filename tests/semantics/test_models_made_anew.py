"""What makes a model out of sight may make another one in each turn of a loop: the mode of the last one says nothing of it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from zoo import factory, get_model, load_pretrained

def evaluate(model, data):
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(data[0]), data[1]).item()

def main(folds, epochs, device, options):
    {before}
    for number in range(len(folds)):
        x, y = folds[number]
        {inside}
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        for epoch in range(epochs):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        print(evaluate(model, (x, y)))
"""
MADE = ["model = get_model(width=8)", "model = load_pretrained(options).to(device)", "model = factory.build(options.model, number)"]


@pytest.mark.parametrize("made", MADE)
def test_a_model_of_each_turn_is_not_left_in_eval_mode(made: str) -> None:
    assert [f.code for f in looplint.lint(PROGRAM.format(before="pass", inside=made), isolated=True) if f.code in ("LL301", "LL304")] == []


@pytest.mark.parametrize("made", MADE)
def test_a_model_of_all_turns_is(made: str) -> None:
    text = PROGRAM.format(before=made.replace(", number", ""), inside="pass")
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code in ("LL301", "LL304")] == ["LL301"]
