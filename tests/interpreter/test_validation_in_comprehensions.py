"""A comprehension that puts a loader's batches through a model is a pass over the data, like the loop that it stands for."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
opt = torch.optim.SGD(net.parameters(), 0.1)


def validate(loader):
    MODE
    EVALUATION


def train(train_loader, val_loader):
    for epoch in range(3):
        net.train()
        for x, y in train_loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
        print(validate(val_loader))
"""
EVALUATIONS = [
    "return sum(nn.functional.cross_entropy(net(x), y).item() for x, y in loader)",
    "losses = [nn.functional.cross_entropy(net(x), y).item() for x, y in loader]\n    return sum(losses) / len(losses)",
    "return {i: (net(x).argmax(1) == y).sum().item() for i, (x, y) in enumerate(loader)}",
]


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize(
    ("mode", "codes"),
    [
        ("net.eval()", ["LL303"]),
        ("torch.set_grad_enabled(False)", ["LL302"]),
        ("net.eval()\n    torch.set_grad_enabled(False)", []),
    ],
)
def test_a_validation_in_a_comprehension(evaluation: str, mode: str, codes: list[str]) -> None:
    found = looplint.lint(PROGRAM.replace("MODE", mode).replace("EVALUATION", evaluation))
    assert [f.code for f in found if f.severity != "advice"] == codes


def test_what_a_module_does_with_each_of_its_inputs_is_no_pass() -> None:
    levels = PROGRAM.replace("MODE", "net.eval()").replace("EVALUATION", "return [net(level) for level in loader[0]]")
    assert "validation pass" not in " ".join(f.message for f in looplint.lint(levels))
