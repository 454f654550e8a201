"""LL106: gradients that other functions read get no step where the loop clears its own in each turn, and those functions run before or behind it."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from data import batches
from torch import optim


def saliency(net, loader):
    net.zero_grad()
    for x, y in loader:
        nn.functional.mse_loss(net(x), y).backward()
    return {{name: p.grad.abs() * p.detach().abs() for name, p in net.named_parameters()}}


def apply(net, rate):
    for p in net.parameters():
        p.data = p.data - rate * p.grad


def pass_over(net, loader, optimizer, rate):
    net.train()
    for x, y in loader:
{inside}


def warm_up(net, loader, rate):
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        pass_over(net, loader, optimizer, rate)
        {between}


def main(loader, rate):
    net = nn.Linear(2, 2)
    warm_up(net, loader, rate)
    {behind}


main(batches, 0.1)
"""
CLEARED = """\
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()"""
MARK = "  # expect: LL106"
LOST = {
    "a saliency behind the training": {"inside": CLEARED + MARK, "between": "pass", "behind": "print(saliency(net, loader))"},
    "a saliency after each pass": {"inside": CLEARED + MARK, "between": "print(saliency(net, loader))", "behind": "pass"},
    "a method of the model's own, behind it": {
        "inside": CLEARED + MARK,
        "between": "pass",
        "behind": "saliency(net, loader); apply(net, rate)",
    },
    "a saliency before it": {
        "inside": CLEARED + MARK,
        "between": "pass",
        "behind": "other = nn.Linear(2, 2); print(saliency(other, loader)); warm_up(other, loader, rate)",
    },
}
APPLIED = {
    "in the turn": {"inside": CLEARED + "\n        apply(net, rate)", "between": "pass", "behind": "pass"},
    "in the turn, by its own words": {
        "inside": CLEARED + "\n        for p in net.parameters():\n            p.data = p.data - rate * p.grad",
        "between": "pass",
        "behind": "print(saliency(net, loader))",
    },
    "behind the loop, by its own function": {"inside": CLEARED + "\n    apply(net, rate)", "between": "pass", "behind": "pass"},
    "behind a loop that clears nothing": {
        "inside": "        loss = nn.functional.mse_loss(net(x), y)\n        loss.backward()",
        "between": "apply(net, rate); net.zero_grad()",
        "behind": "pass",
    },
    "an optimizer that steps": {
        "inside": CLEARED + "\n        optimizer.step()",
        "between": "pass",
        "behind": "print(saliency(net, loader))",
    },
}


@pytest.mark.parametrize("case", LOST)
def test_the_gradients_of_each_turn_are_lost(case: str) -> None:
    assert_marked(PROGRAM.format(**LOST[case]))


@pytest.mark.parametrize("case", APPLIED)
def test_they_are_applied(case: str) -> None:
    assert_marked(PROGRAM.format(**APPLIED[case]))
