"""A part of a container that one of several branches builds is a part of the model that the container is set on."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, dist, count):
        super().__init__()
        self.dist = dist
        {built}

    def shapes(self, key):
        return self.shape[key]


def loss_of(net, t, count):
    total = 0.0
    for n in range(count):
        total = total + {used}.sum()
    return total


def fit(t, dist, count, epochs):
    net = Net(dist, count)
    other = nn.Linear(4, 4)
    opt = torch.optim.Adam({given}.parameters(), lr=0.01)
    for _ in range(epochs):
        {clear}
        loss = loss_of(net, t, count)
        loss.backward()
        {cleared}
        opt.step(){marked}
"""
DICTS = """if dist == "normal":
            self.shape = nn.ParameterDict({str(n + 1): nn.Parameter(torch.ones(4)) for n in range(count)})
        elif dist == "weibull":
            self.shape = nn.ParameterDict({str(n + 1): nn.Parameter(-torch.ones(4)) for n in range(count)})
        else:
            raise NotImplementedError(dist)"""
LISTS = """if dist == "normal":
            self.shape = nn.ParameterList([nn.Parameter(torch.ones(4)) for _ in range(count)])
        else:
            self.shape = nn.ParameterList([nn.Parameter(-torch.ones(4)) for _ in range(count)])"""
FORMS = {
    "dicts of parameters": (DICTS, "(net.shapes(str(n + 1)).expand(4, -1) * t)"),
    "lists of parameters": (LISTS, "(net.shape[n] * t)"),
    "in a method": (
        "self.set_up(count)\n\n    def set_up(self, count):\n        dist = self.dist\n        " + DICTS,
        "(net.shape[str(n + 1)] * t)",
    ),
    "one way after the other": (LISTS.replace("else:", 'if dist == "weibull":'), "(net.shape[n] * t)"),
}
AFTER = "opt.zero_grad()  # expect: LL101"


@pytest.mark.parametrize(("built", "used"), FORMS.values(), ids=FORMS.keys())
def test_its_optimizer_is_that_of_the_model(built: str, used: str) -> None:
    def program(clear: str, cleared: str) -> str:
        return PROGRAM.format(built=built, used=used, given="net", clear=clear, cleared=cleared, marked="")

    assert_marked(program("pass", AFTER))
    assert_marked(program("opt.zero_grad()", "pass"))
