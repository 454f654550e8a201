"""Entries under keys of which the beginning or the end is known are told from the other entries of a dictionary."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn


class Meter:
    def __init__(self):
        self.sum = 0.0

    def update(self, value, n):
        self.sum += value * n


class Criterion(nn.Module):
    def __init__(self, kinds):
        super().__init__()
        self.kinds = kinds
        self.criterion = nn.MSELoss()

    def forward(self, p, y):
        out = {{"loss": 0.0}}
        if "e" in self.kinds:
            out["loss"] += self.criterion(p, y)
            out["e_mae"] = (p - y).abs().mean()
            out["size_e"] = p.shape[0]
            out["e_size"] = p.shape[0]
        {more}
        return out


def train(loader, kinds):
    model = nn.Linear(4, 1)
    criterion = Criterion(kinds)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    meters = {{kind: Meter() for kind in kinds}}
    for x, y in loader:
        out = criterion(model(x), y)
        for key in kinds:
            meters[key].update(1.0, out[{key}])
        optimizer.zero_grad()
        out["loss"].backward()
        optimizer.step()
    print(meters)


train(torch.utils.data.DataLoader(torch.load("x.pt")), "ef")
"""


def codes(key: str, more: str = "pass") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(key=key, more=more), isolated=True) if f.code == "LL402"]


@pytest.mark.parametrize(
    "key", ['f"{key}_size"', 'f"size_{key}"', 'key + "_size"', '"size_" + key', '"size_" + str(key)', 'f"{key}" + "_size"']
)
def test_a_key_that_fits_numbers_alone_gives_a_number(key: str) -> None:
    assert codes(key) == []


@pytest.mark.parametrize("key", ['f"{key}_mae"', 'key + "_mae"', 'f"{key}"', 'f"{key}_{key}"'])
def test_a_key_that_fits_a_tensor_may_give_it(key: str) -> None:
    assert codes(key) == ["LL402"]


def test_where_a_dictionary_is_changed_in_another_way_any_entry_may_be_it() -> None:
    assert codes('f"{key}_size"', "out.update(y_size=p.mean())") == ["LL402"]
