"""LL502 speaks of the optimizer that steps, and names the part as its line does."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        self.head = nn.Linear(1, 1)

    def fit(self, loader):
        unused = torch.optim.SGD(self.net.parameters(), lr=0.1)
        optimizer = torch.optim.Adam({held})
        for x, y in loader:
            loss = (self.net(x) - y).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            {step}
            {target} = {new}
"""


def messages(held: str, step: str, target: str, new: str) -> list[str]:
    text = PROGRAM.format(held=held, step=step, target=target, new=new)
    return [f.message for f in looplint.lint(text, isolated=True) if f.code == "LL502"]


@pytest.mark.parametrize(
    ("target", "new"),
    [
        ("self.net[0].weight", "nn.Parameter(torch.zeros(3, 3))"),
        ("self.net[1].bias", "nn.Parameter(torch.zeros(1))"),
        ("self.net[0]", "nn.Linear(3, 3)"),
    ],
)
def test_it_names_the_one_that_steps_and_the_part_by_its_line(target: str, new: str) -> None:
    (message,) = messages("self.net.parameters()", "optimizer.step()", target, new)
    assert message.startswith(f"{target} is replaced after optimizer took the parameters")


def test_one_that_never_steps_beside_one_of_other_parameters_is_left_over() -> None:
    assert messages("self.head.parameters()", "optimizer.step()", "self.net[0].weight", "nn.Parameter(torch.zeros(3, 3))") == []


def test_where_nothing_is_known_to_step_any_may() -> None:
    found = messages("self.head.parameters()", "step_all()", "self.net[0].weight", "nn.Parameter(torch.zeros(3, 3))")
    assert [m.split(" after ")[1].split()[0] for m in found] == ["unused"]
