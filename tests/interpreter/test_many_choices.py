"""One of more classes than a value holds in full: whichever a program takes, it is an optimizer."""

from __future__ import annotations

import pytest

import looplint

LOOP = """\
import torch
from torch import nn, optim


class Warm(optim.Adam):
    def __init__(self, params, lr=0.1):
        super().__init__(params, lr=lr)
        self.rate = lr / 3


class Trainer:
    def __init__(self, model, params):
        self.model, self.params = model, params
        self.optimizers = {{"model": self.build("model")}}

    def build(self, name):
        return pick(getattr(self, name).parameters(), self.params.optimizer)

    def optimize(self, loss, names):
        for name in names:
            {clear}
        if self.params.half:
            self.optimizers[name].backward(loss)
        else:
            loss.backward()
        for name in names:
            self.optimizers[name].step()

    def update(self, x, y):
        self.optimize(nn.functional.mse_loss(self.model(x), y), ["model"])


def train(params, loader):
    trainer = Trainer(nn.Linear(2, 1), params)
    for x, y in loader:
        trainer.update(x, y)


"""
NAMES = ["Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop", "SGD", "Muon"]


def branches(count: int, own: bool) -> str:
    classes = [f"optim.{name}" for name in NAMES[: count - own]] + ["Warm"] * own
    tests = "".join(f"    elif method == {number}:\n        found = {cls}\n" for number, cls in enumerate(classes))
    return f"def pick(params, method):\n{tests.replace('elif', 'if', 1)}    else:\n        raise ValueError(method)\n    return found(params, lr=0.1)\n"


def table(count: int, how: str) -> str:
    entries = ", ".join(f"'{name.lower()}': optim.{name}" for name in NAMES[:count])
    return f"KINDS = {{{entries}}}\n\n\ndef pick(params, method):\n    return {how}(params, lr=0.1)\n"


def codes(pick: str, clear: str) -> list[str]:
    return [f.code for f in looplint.lint(LOOP.format(clear=clear) + pick, isolated=True) if f.severity != "advice"]


CHOICES = [
    pytest.param(branches(9, own=False), id="nine branches"),
    pytest.param(branches(12, own=False), id="twelve branches"),
    pytest.param(branches(9, own=True), id="nine branches, of which one is of the program"),
    pytest.param(branches(10, own=True), id="ten branches, of which one is of the program"),
    pytest.param(table(9, "KINDS[method]"), id="a table of nine"),
    pytest.param(table(12, "KINDS.get(method)"), id="a table of twelve"),
]


@pytest.mark.parametrize("pick", CHOICES)
def test_it_is_an_optimizer(pick: str) -> None:
    assert codes(pick, "pass") == ["LL102"]
    assert codes(pick, "self.optimizers[name].zero_grad()") == []
