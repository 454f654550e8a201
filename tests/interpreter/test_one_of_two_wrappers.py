"""A function that builds a wrapper of an optimizer in one of two ways gives one wrapper, with one optimizer."""

from __future__ import annotations

import pytest

import looplint
from programs import WRAPPER

WRAPPED = (
    WRAPPER
    + """\
class Other(Wrapper):
    pass

def build(model, sort):
    if sort == "adam":
        return SECOND(torch.optim.Adam(model.parameters()))
    return Wrapper(torch.optim.SGD(model.parameters(), lr=0.1))

def train(model: torch.nn.Module, loader, sort):
    wrapped = build(model, sort)
    for x in loader:
        loss = model(x).mean()
BODY
"""
)
CLEARED_LATE = "        loss.backward()\n        {0}.zero_grad()\n        {0}.step()"
RIGHT = "        {0}.zero_grad()\n        loss.backward()\n        {0}.step()"


def _codes(body: str, second: str = "Wrapper") -> list[str]:
    return [f.code for f in looplint.lint(WRAPPED.replace("BODY", body).replace("SECOND", second)) if f.code.startswith("LL10")]


@pytest.mark.parametrize("wrapper", ["wrapped", "wrapped.optimizer"])
def test_a_wrapper_made_in_two_ways(wrapper: str) -> None:
    assert _codes(RIGHT.format(wrapper)) == []
    assert _codes(CLEARED_LATE.format(wrapper)) == ["LL101"]
    assert _codes(f"        loss.backward()\n        {wrapper}.step()") == ["LL102"]


def test_wrappers_of_two_classes_stay_two() -> None:
    assert _codes(RIGHT.format("wrapped"), "Other") == []
    assert _codes(RIGHT.format("wrapped.optimizer"), "Other") == []


TWO = """\
def train(one: torch.nn.Module, two: torch.nn.Module, loader, sort):
    first, second = build(one, sort), build(two, sort)
    for x in loader:
        FIRST
        one(x).mean().backward()
        first.step()
        second.zero_grad()
        two(x).mean().backward()
        second.step()
"""


@pytest.mark.parametrize(("clear", "codes"), [("first.zero_grad()", []), ("pass", ["LL102"])])
def test_two_calls_make_two(clear: str, codes: list[str]) -> None:
    head, _, _ = WRAPPED.replace("SECOND", "Wrapper").partition("def train")
    assert [f.code for f in looplint.lint(head + TWO.replace("FIRST", clear)) if f.code.startswith("LL10")] == codes


POPPED = """\
import torch

def losses(model, x):
    return {"main": model(x).mean()}

def train(model: torch.nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        name, loss = losses(model, x).popitem()
        BODY
"""


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("optimizer.zero_grad(); loss.backward(); optimizer.step()", []),
        ("loss.backward(); optimizer.zero_grad(); optimizer.step()", ["LL101"]),
        ("loss.backward(); optimizer.step()", ["LL102"]),
    ],
)
def test_an_item_that_is_popped_is_what_was_put_in(body: str, codes: list[str]) -> None:
    assert [f.code for f in looplint.lint(POPPED.replace("BODY", body)) if f.code.startswith("LL10")] == codes
