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
