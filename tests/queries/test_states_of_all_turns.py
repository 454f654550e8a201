"""A container that gets a state in each turn of a loop keeps them all: each holds the model's own tensors, and that of an earlier turn is stale."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import copy

import numpy as np
import torch
from torch import nn

from elsewhere import build


def train(net, loader):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()


def error(net, loader):
    net.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += nn.functional.mse_loss(net(x), y).item()
    net.train()
    return total


def fit(net: nn.Module, loader, held_out, epochs, path):
    {states}
    errors = []
    for epoch in range(epochs):
        {first}
        train(net, loader)
        errors.append(error(net, held_out))
        {kept}
        {then}
    best = int(np.argmin(errors))
    {read}
    return net
"""
KEPT = {
    "a list": ("states = []", "states.append(net.state_dict())", "net.load_state_dict(states[best])"),
    "a dict by number": ("states = {}", "states[epoch] = net.state_dict()", "net.load_state_dict(states[best])"),
    "with its number": ("states = []", 'states.append({"net": net.state_dict(), "at": epoch})', 'net.load_state_dict(states[best]["net"])'),
    "in a pair": ("states = []", "states.append((epoch, net.state_dict()))", "net.load_state_dict(states[best][1])"),
    "under a name": ("states = []", "states += [net.state_dict()]", "found = states[best]\n    net.load_state_dict(found)"),
    "saved": ("states = []", "states.append(net.state_dict())", "torch.save(states[best], path)"),
    "to a new model": ("states = []", "states.append(net.state_dict())", "net = nn.Linear(4, 2)\n    net.load_state_dict(states[best])"),
}


def _program(states: str, kept: str, read: str, first: str = "pass", then: str = "pass") -> str:
    return PROGRAM.format(states=states, kept=kept, read=read, first=first, then=then)


@pytest.mark.parametrize(("states", "kept", "read"), KEPT.values(), ids=KEPT.keys())
def test_one_of_them_is_stale(states: str, kept: str, read: str) -> None:
    assert_marked(_program(states, f"{kept}  # expect: LL801", read))
    assert_marked(_program(states, kept.replace("net.state_dict()", "copy.deepcopy(net.state_dict())"), read))


def test_it_is_restored_in_the_loop() -> None:
    states, kept, _ = KEPT["a list"]
    restored = "if epoch > 10:\n            net.load_state_dict(states[int(np.argmin(errors))])\n            return net"
    assert_marked(_program(states, f"{kept}  # expect: LL801", "pass", then=restored))


FRESH = {
    "the last": {"read": "net.load_state_dict(states[-1])"},
    "of a model of each turn": {"first": "net = nn.Linear(4, 2)"},
    "of a model that is built elsewhere": {"first": "net = build(epoch)"},
    "cleared": {"first": "states.clear()"},
    "begun anew": {"first": "states = []"},
    "taken out": {"read": "net.load_state_dict(states.pop())"},
    "that of this turn": {
        "states": "states = {}",
        "kept": "states[epoch] = net.state_dict()",
        "read": "pass",
        "then": "net.load_state_dict(states[epoch])",
    },
    "a copied model": {"kept": "states.append(copy.deepcopy(net).state_dict())"},
}


@pytest.mark.parametrize("changed", FRESH.values(), ids=FRESH.keys())
def test_what_is_fresh_is_left_alone(changed: dict[str, str]) -> None:
    states, kept, read = KEPT["a list"]
    assert_marked(_program(**{"states": states, "kept": kept, "read": read, **changed}))
