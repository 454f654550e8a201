"""A sum adds up graphs only over the loops that turn again after it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

def generate(loader, model: nn.Module, criterion):
    opt = torch.optim.Adam(model.parameters())
    OUTSIDE
    for graph in loader:
        INSIDE
        while True:
            part = criterion(model(graph), graph)
            opt.zero_grad()
            part.backward()
            opt.step()
            SUM
    print(graph)
"""
ADDED = "loss += criterion(model(graph), graph)"


def _said(added: list[str], start: str) -> list[str]:
    text = PROGRAM.replace("SUM", "\n            ".join(added))
    text = text.replace(start, "loss = 0").replace("OUTSIDE", "pass").replace("INSIDE", "pass")
    return [f.message.partition(": ")[2] for f in looplint.lint(text) if f.code == "LL402"]


@pytest.mark.parametrize(
    "added",
    [
        [ADDED, "break"],
        ["if graph.stop:", f"    {ADDED}", "    break"],
        ["if graph.stop:", f"    {ADDED}", "    return loss"],
        ["if graph.stop:", f"    {ADDED}", "    if graph.end:", "        break", "    else:", "        return None"],
    ],
)
def test_a_sum_that_is_left_at_once_adds_up_nothing(added: list[str]) -> None:
    assert _said(added, "INSIDE") == []


@pytest.mark.parametrize(
    "added",
    [
        [ADDED, "if graph.end:", "    break"],
        ["if graph.stop:", f"    {ADDED}", "    continue", "break"],
        [ADDED, "try:", "    graph.close()", "except OSError:", "    continue", "break"],
    ],
)
def test_a_sum_with_a_way_on_adds_up_every_turn(added: list[str]) -> None:
    assert _said(added, "INSIDE") == ["memory grows with each turn until loss is gone; take only the values, with .detach() or .item()"]


def test_the_loop_around_goes_on_after_a_break() -> None:
    assert _said(["if graph.stop:", f"    {ADDED}", "    break"], "OUTSIDE") == [
        "memory grows with each batch until loss is gone; take only the values, with .detach() or .item()"
    ]


def test_no_loop_goes_on_after_a_return() -> None:
    assert _said(["if graph.stop:", f"    {ADDED}", "    return loss"], "OUTSIDE") == []
