"""A model that one computation applies in several places is not put in eval mode in one of them alone by a safe repair."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())

    def forward(self, x):
        return self.body(x)


def root_of(state, model):
    with torch.no_grad():
        priors = model(state.unsqueeze(0))
    legal = priors.squeeze() > 0
    return legal.nonzero()


def search(state, model):
    root = root_of(state, model)
    {rest}
    return root


def main(states, targets):
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    for state, target in zip(states, targets):
        moves = search(state, model)
        loss = nn.functional.mse_loss(model(state), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(moves)
"""
LEAVES = "root = root + model(state + root).detach().argmax(-1)"


@pytest.mark.parametrize(
    ("rest", "safe"),
    [
        ("pass", True),
        (f"with torch.no_grad():\n        {LEAVES}", False),
        (f"for _ in range(3):\n        with torch.no_grad():\n            {LEAVES}", False),
        ("expanded = [root]\n    with torch.no_grad():\n        expanded.append(model(root))\n    print(expanded)", False),
    ],
)
def test_a_search_is_made_in_one_mode(rest: str, safe: bool) -> None:
    found = looplint.lint(SCRIPT.format(rest=rest), isolated=True)
    (finding,) = (f for f in found if f.code == "LL302" and f.location.row == 16)
    assert finding.fix is not None
    assert finding.fix.applicability == ("safe" if safe else "unsafe")
    assert "for this prediction" in finding.message
