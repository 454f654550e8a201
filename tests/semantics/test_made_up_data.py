"""Rows that a program draws at random, each by itself, come in no order: LL901 is advice, and nothing where one batch takes all of them."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
import datasets
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset

class Drawn(Dataset):
    def __init__(self, number):
        self.x, self.names = torch.randn(number, 8), ["x"]
        self.y = (self.x * 2 > 0).float().sum(1)
    def __len__(self):
        return len(self.x)
    def __getitem__(self, index):
        return self.x[index], self.y[index]

class Counted(Drawn):
    def __init__(self, number):
        self.x, self.y = torch.randn(number, 8), torch.arange(number)

def load(size=150, noise=0.3, batch_size=16):
    {made}
    return DataLoader({data}, batch_size=batch_size)

def train(path):
    net = nn.Linear(8, 1)
    loader = load({given})
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(9):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
"""
SINE = "x = (torch.rand(size) * 8).unsqueeze(-1); y = torch.sin(x) + torch.randn_like(x) * noise"


def _found(made: str = SINE, *, data: str = "TensorDataset(x, y)", given: str = "") -> list[str]:
    code = PROGRAM.format(made=made.replace("; ", "\n    "), data=data, given=given)
    return [f.severity for f in looplint.lint(dedent(code), select=["LL901"])]


@pytest.mark.parametrize(
    ("made", "data"),
    [
        (SINE, "TensorDataset(x, y)"),
        ("pass", "TensorDataset(torch.randn(size, 8), torch.randint(0, 2, (size, 1)))"),
        ("x = torch.normal(0, 1, (size, 8)); w = torch.tensor([[2.0]] * 8); y = x @ w; y += 4.2 * torch.ones(1)", "TensorDataset(x)"),
        ("x, y = torch.randn(size, 8), torch.zeros(size, 1)", "TensorDataset(x[:80], y[:80])"),
        ("x = torch.from_numpy(np.random.randn(size, 8)).float(); y = x[:, :3].argmax(1)", "TensorDataset(x, y)"),
        ("x = torch.randn(size, 8); y = x.sum(dim=1, keepdim=True)", "Subset(TensorDataset(x, y), range(80))"),
        ("x = torch.randn(size, 8); x = x * 2", "torch.utils.data.random_split(TensorDataset(x, x.clone()), [80, 20])[0]"),
        ("pass", "Drawn(size)"),
        ("x = torch.stack([torch.randn(8) for _ in range(size)]); y = (x * noise).sum(1)", "TensorDataset(x, y)"),
        (
            'rows = [{"x": torch.randn(8), "y": torch.randint(2, (1,)).item()} for _ in range(size)]; '
            'table = datasets.Dataset.from_list(rows).map(prepare, remove_columns=["z"]); table.set_format("torch")',
            'TensorDataset(table["x"], table["y"])',
        ),
    ],
)
def test_rows_that_are_drawn(made: str, data: str) -> None:
    assert _found(made, data=data) == ["advice"]


@pytest.mark.parametrize(
    "made",
    [
        "x = torch.linspace(-1, 1, size).unsqueeze(1); y = torch.sin(x) + torch.randn(size, 1)",
        "x = torch.randn(size, 8); y = torch.arange(size) // 50",
        "x = torch.cat([torch.randn(75, 8) - 1, torch.randn(75, 8) + 1]); y = torch.randn(size, 1)",
        "x = torch.randn(size, 8); x[:75] += 1; y = torch.randn(size, 1)",
        "x = torch.randn(size, 8); x, _ = x.sort(0); y = torch.randn(size, 1)",
        "x = torch.randn(size, 8).cumsum(0); y = torch.randn(size, 1)",
        "x = torch.normal(torch.linspace(0, 1, size), 0.1); y = torch.randn(size, 1)",
        "x, y = torch.load(path)",
        "x = torch.randn(size, 8); y = labels_of(x)",
        "x = torch.randn(size, 8); x[:75].add_(1); y = torch.randn(size, 1)",
        "x = torch.stack([torch.randn(8) + i for i in range(size)]); y = torch.randn(size, 1)",
        "x = torch.stack([read(path) for _ in range(size)]); y = torch.randn(size, 1)",
    ],
)
def test_rows_in_an_order_that_may_mean_something(made: str) -> None:
    assert _found(made) == ["error"]


def test_a_dataset_with_labels_in_order() -> None:
    assert _found("pass", data="Counted(size)") == ["error"]


@pytest.mark.parametrize(
    ("made", "given", "found"),
    [
        (SINE, "batch_size=150", []),
        (SINE, "noise=0.1, batch_size=200", []),
        (SINE, "size=60, batch_size=64", []),
        ("x = torch.linspace(-1, 1, size); y = x ** 2", "batch_size=150", []),
        ("x = torch.linspace(-1, 1, size); y = x ** 2", "batch_size=149", ["error"]),
        (SINE, "size=151, batch_size=150", ["advice"]),
        ("x = torch.linspace(-1, 1, size)[:500]; y = torch.load(path)", "batch_size=150", ["error"]),
    ],
)
def test_one_batch_of_all_rows(made: str, given: str, found: list[str]) -> None:
    assert _found(made, given=given) == found
