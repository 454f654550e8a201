"""Gradients that the program gives to what has none are gradients: a step with them, which makes the state of an optimizer, is no early one."""

from __future__ import annotations

import pytest

from programs import assert_marked

WARMED_UP = """
def warm_up(optimizer):
    saved = []
    for group in optimizer.param_groups:
        for p in group.get("params", []):
            saved.append((p, p.grad))
            GIVEN
    with torch.no_grad():
        optimizer.step()  # HERE
    optimizer.zero_grad()


def fit(loader):
    for fold in range(3):
        model = nn.Linear(2, 2)
        optimizer = torch.optim.Adam(model.parameters())
        warm_up(optimizer)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
"""
GIVEN = {
    "where there is none": "if p.grad is None:\n                p.grad = torch.zeros_like(p)",
    "in the other branch": "if p.grad is not None:\n                p.grad.zero_()\n            else:\n                p.grad = torch.zeros_like(p)",
    "under two conditions": "if p.requires_grad and p.grad is None:\n                p.grad = p.detach().new_zeros(p.shape)",
    "past those that have one": "if p.grad is not None:\n                continue\n            p.grad = torch.zeros_like(p)",
    "by an expression": "p.grad = torch.zeros_like(p) if p.grad is None else p.grad",
}


@pytest.mark.parametrize("given", GIVEN)
def test_a_step_that_makes_the_state(given: str) -> None:
    assert_marked(WARMED_UP.replace("GIVEN", GIVEN[given]))


@pytest.mark.parametrize(
    "given", ["pass", "if p.grad is None:\n                continue", "if p.grad is None:\n                p.kept = True"]
)
def test_a_step_without_gradients(given: str) -> None:
    assert_marked(WARMED_UP.replace("GIVEN", given).replace("HERE", "expect: LL105"))


TRAINED = """
import torch.distributed as dist


def fit(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for x, y in loader:
        CLEAR
        nn.functional.mse_loss(model(x), y).backward()EXPECTED
        for p in model.parameters():
            if p.grad is None:
                p.grad = torch.zeros_like(p)
            dist.all_reduce(p.grad)
        optimizer.step()
"""


@pytest.mark.parametrize(("clear", "expected"), [("optimizer.zero_grad()", ""), ("pass", "  # expect: LL102")])
def test_what_is_filled_in_takes_nothing_away(clear: str, expected: str) -> None:
    assert_marked(TRAINED.replace("CLEAR", clear).replace("EXPECTED", expected))
