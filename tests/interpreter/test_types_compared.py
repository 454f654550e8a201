"""`type(value) == cls` tells of a value what `isinstance` does."""

from __future__ import annotations

import pytest

import looplint

LOGGED = """\
import torch
from torch import nn

class Meter:
    def __init__(self):
        self.total = 0

    def update(self, value):
        self.total += value

meter = Meter()

def log(value):
    BODY

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log(loss)
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("if type(value) == torch.Tensor:\n        value = value.item()\n    meter.update(value)", []),
        ("if type(value) is torch.Tensor:\n        value = value.item()\n    meter.update(value)", []),
        ("if type(value) in (torch.Tensor, nn.Parameter):\n        meter.update(value.item())", []),
        ("if type(value) != torch.Tensor:\n        meter.update(value)\n    else:\n        meter.update(value.detach())", []),
        ("if type(value) == float:\n        meter.update(value)", []),
        ("if type(value) != float:\n        meter.update(value)", ["LL402"]),
        ("if type(value) == torch.Tensor:\n        meter.update(value)", ["LL402"]),
        ("meter.update(value)", ["LL402"]),
    ],
)
def test_what_is_of_a_type(body: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(LOGGED.replace("BODY", body))] == codes


SUMMED = """\
from collections import defaultdict

import torch
from torch import nn

class Meter:
    def __init__(self):
        self.values = {}

    def add(self, key, value):
        if CONDITION:
            self.values[key] += value
        else:
            self.values[key] += value.mean().item()

meter = Meter()
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    losses = defaultdict(int)
    losses["share"] += rate / 2
    losses[f"loss_{rate}"] += nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    sum(losses.values()).backward()
    optimizer.step()
    for key, value in losses.items():
        meter.add(key, value)
"""


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("type(value) == float or type(value) == int", []),
        ("isinstance(value, float) or isinstance(value, int)", []),
        ("type(value) is int or type(value) is float or isinstance(value, str)", []),
        ("not (isinstance(value, torch.Tensor) or value is None)", []),
        ("type(value) == float or key == 'loss'", ["LL401"]),
        ("type(value) != float or type(value) != int", ["LL401"]),
    ],
)
def test_one_of_several_types(condition: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(SUMMED.replace("CONDITION", condition))] == codes
