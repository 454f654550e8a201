"""None has no attributes and no items, and a dict no entries but those that are put in: what stands behind asking for one is not run."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from collections import defaultdict
from contextlib import suppress
from torch import nn, optim
from elsewhere import key, keys, load, setup


class Trainer:
    def __init__(self, config):
        self.rate = config["rate"]
        self.critic = None

    def take(self, critic):
        self.critic = critic

    def check(self):
        self.critic.eval()


class Tester:
    def __init__(self):
        self.critic = None

    def check(self):
        self.critic.eval()


class Measured:
    def __init__(self):
        self.metric = None

    def choose(self):
        self.metric = load()

    def measure(self):
        return size(3, self.metric)


class Taking:
    def __init__(self):
        self.critic = None

    def take(self):
        self.critic = load()


class Asking:
    def ask(self, other):
        other.critic.eval()


def size(batch, mask=None):
    return batch + mask.size(0)


def fill(table):
    for name in keys():
        table[name] = 1


def main():
    {asked}
    net = nn.Sequential(nn.Dropout(), nn.Linear(8, 8))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in batches():
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            print(sum(nn.functional.mse_loss(net(x), y).item() for x, y in held_out()))


main()
"""
FAILING = {
    "an attribute": "best = None; print(best.size)",
    "an item": "best = None; print(best['a'])",
    "a call": "best = None; print(best(3))",
    "a default that is never given": "print(size(3))",
    "a call for its own sake": "size(3)",
    "a default that another function hands on": "def measure(mask=None): return size(3, mask)\n    print(measure())",
    "an argument": "Trainer(None)",
    "what a constructor sets to None": "Tester().check()",
    "a number that goes backward": "total = 0; total.backward()",
    "a number to which numbers are added behind it": "total = 0.0\n    for i in range(3):\n        total.backward()\n        total += load().item()",
    "a key": "table = {'a': 1}; table['b'] = 2; print(table['zeta'])",
}
RUNNING = {
    "asked for": "best = None\n    for i in range(3):\n        if best is not None: print(best.size)\n        best = load()",
    "set in the turn before": "best = None\n    for i in range(3):\n        if i > 0: print(best.size)\n        best = load()",
    "set where it is none": "best = None\n    for i in range(3):\n        if best is None or best.size > i: best = load()\n    print(best.size)",
    "set by a function inside": "best = None\n    def put():\n        nonlocal best\n        best = load()\n    put(); print(best.size)",
    "asked for in the expression": "best = None; print(best and best.size, best.size if best else 0)",
    "asked where something holds": "best = None; print(best.size if load() else 0)",
    "caught": "best = None\n    try:\n        print(best.size)\n    except AttributeError:\n        pass",
    "suppressed": "best = None\n    with suppress(AttributeError):\n        print(best.size)",
    "suppressed in a function": "with suppress(TypeError, AttributeError):\n        print(size(3))",
    "a default that somebody else may give": "pass",
    "an attribute of another object": "Asking().ask(Taking())",
    "set by a method": "trainer = Trainer({'rate': 3}); trainer.take(load()); trainer.check()",
    "an attribute that another method sets": "print(Measured().measure())",
    "one of two values": "best = None\n    if load(): best = load()\n    print(best.size)",
    "set by others": "trainer = Tester(); trainer.critic = load(); trainer.check()",
    "set out of sight": "trainer = Tester(); setup(trainer); trainer.check()",
    "a number in the first turn": "total = 0\n    for i in range(3):\n        if i > 0: total.backward()\n        total = total + load()",
    "a number that may have become a loss": "total = 0\n    for each in load(): total += each\n    if load(): total.backward()",
    "a number of which it is asked": "total = 0\n    if load(): total = load()\n    if torch.is_tensor(total): total.backward()",
    "a number under nonlocal": "total = 0\n    def add():\n        nonlocal total\n        total = load()\n    add(); total.backward()",
    "a key that is there": "table = {'a': 1}; table['zeta'] = 2; print(table['zeta'])",
    "a key that may be there": "table = {'a': 1}\n    for name in keys(): table[name] = 3\n    print(table['zeta'])",
    "a key that is asked for": "table = {'a': 1}\n    if 'zeta' in table: print(table['zeta'])",
    "entries from elsewhere": "table = {'a': 1}; table.update(load()); print(table['zeta'])",
    "entries of another dict": "table = {'a': 1, **load()}; print(table['zeta'])",
    "an entry that is made when it is missing": "table = {}; table.setdefault(key(), 3); print(table['zeta'])",
    "entries by default": "table = defaultdict(list); print(table['zeta'])",
    "filled out of sight": "table = {'a': 1}; setup(table); print(table['zeta'])",
    "filled by a function": "table = {'a': 1}; fill(table); print(table['zeta'])",
    "filled in a comprehension": "table = {name: 1 for name in keys()}; print(table['zeta'])",
}


def _codes(asked: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(asked=asked))]


@pytest.mark.parametrize("asked", FAILING.values(), ids=FAILING)
def test_what_stands_behind_is_not_run(asked: str) -> None:
    assert _codes(asked) == []


@pytest.mark.parametrize("asked", RUNNING.values(), ids=RUNNING)
def test_what_may_be_there_ends_nothing(asked: str) -> None:
    assert _codes(asked) == ["LL301"]
