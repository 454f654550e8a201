"""A part that one of several models gets is trained by the optimizer that is built of it afterwards, whichever model it is."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Linear(4, 4)
        self.linear = None

    def add_linear(self):
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        x = self.mlp(x)
        return x if self.linear is None else self.linear(x)


def run(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


models = {"small": Words(), "large": Words()}
model = models[name]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
run(model, loader, optimizer)
model.add_linear()
THEN
"""


@pytest.mark.parametrize(
    ("then", "codes"),
    [
        ("run(model, loader, torch.optim.SGD(model.linear.parameters(), lr=0.1))", []),
        ("run(model, loader, torch.optim.SGD([{'params': model.linear.parameters()}], lr=0.1))", []),
        ("new = model.linear\nrun(model, loader, torch.optim.Adam(new.parameters()))", []),
        ("run(model, loader, optimizer)", ["LL502"]),
    ],
)
def test_what_the_new_part_gets(then: str, codes: list[str]) -> None:
    assert sorted({f.code for f in looplint.lint(PROGRAM.replace("THEN", then)) if f.code == "LL502"}) == codes
