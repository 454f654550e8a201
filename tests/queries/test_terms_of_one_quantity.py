"""The terms of one quantity of the same data are no batches: their sum, which begins anew for each, is advice."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """
import torch
from torch import nn


def loss_of(net, x, y, key="1"):
    return nn.functional.mse_loss(net.forward(x, key), y)


def drawn(net, batches, key):
    x, y = next(batches)
    return loss_of(net, x, y, key)


class Fit:
    def run(self, net: nn.Module, loader, batches, data, x_valid, y_valid, terms, epochs, size):
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        total = 0
        for epoch in range(epochs):
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            {before}
            for k in range({count}):
                {added}
            print(total)
"""


def _said(before: str, added: str, count: str = "terms") -> list[tuple[str, bool]]:
    text = PROGRAM.format(before=before, added=added.replace("\n", "\n                "), count=count)
    return [(f.severity, "each turn" in f.message) for f in looplint.lint(text, isolated=True) if f.code == "LL402"]


TERMS = {
    "handed down": "total += loss_of(net, x_valid, y_valid, key=str(k + 1))",
    "applied there": "total += nn.functional.mse_loss(net(x_valid, k), y_valid)",
    "a text": 'total = total + loss_of(net, x_valid, y_valid, f"term{k}")',
    "all by name": "total += loss_of(net=net, x=x_valid, y=y_valid, key=str(k))",
}


@pytest.mark.parametrize("added", TERMS.values(), ids=TERMS.keys())
def test_terms_of_the_same_data_are_advice(added: str) -> None:
    assert _said("total = 0", added) == [("advice", True)]


BATCHES = {
    "the next batch": "x, y = next(batches)\ntotal += loss_of(net, x, y, str(k))",
    "what a function draws": 'x, y = data("val")\ntotal += loss_of(net, x, y, str(k))',
    "drawn in the call": "total += drawn(net, batches, str(k))",
    "places in data": "x = data[k * size:(k + 1) * size]\ntotal += loss_of(net, x, y_valid)",
    "cut where it is given": "total += loss_of(net, data[k * size:(k + 1) * size], y_valid)",
    "an item": "total += loss_of(net, data[k], y_valid, str(k))",
    "an attribute": "self.draw()\ntotal += loss_of(net, self.x, self.y, str(k))",
    "trained there": "loss = loss_of(net, x_valid, y_valid, str(k))\nopt.zero_grad()\nloss.backward()\nopt.step()\ntotal += loss",
}


@pytest.mark.parametrize("added", BATCHES.values(), ids=BATCHES.keys())
def test_batches_are_told(added: str) -> None:
    assert [severity for severity, _ in _said("total = 0", added)] == ["warning"]
    assert [severity for severity, _ in _said("total = 0", added, "len(loader)")] == ["warning"]


def test_a_sum_that_goes_on_is_told() -> None:
    assert _said("pass", "total += loss_of(net, x_valid, y_valid, key=str(k + 1))")[0][0] == "warning"
