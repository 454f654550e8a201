"""A step that finds cleared gradients on every path stands before its backward, also where a skipped step has left some to be cleared."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import torch
from torch import nn


def train(net: nn.Module, loader, perturb, matching, attack):
    opt = torch.optim.AdamW(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        {first}
        {begin}
        {second}
"""
SKIPPED = {
    "not finite": "if torch.isfinite(loss):\n            opt.step()",
    "in one mode": "if matching:\n            if all(p.grad.isfinite().all() for p in net.parameters()):\n                opt.step()\n        else:\n            opt.step()",
    "too large": "norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n        if norm < 100:\n            opt.step()",
    "for some batches": "if loss.item() < 10:\n            opt.step()\n        else:\n            print('skipped')",
}
EARLY = ["opt.zero_grad()", "again = nn.functional.mse_loss(net(attack(x)), y)", "opt.step()  # expect: LL105", "again.backward()"]
RIGHT = [EARLY[0], EARLY[1], EARLY[3], "opt.step()"]


@pytest.mark.parametrize("first", SKIPPED.values(), ids=SKIPPED.keys())
@pytest.mark.parametrize("option", [True, False])
def test_the_second_step_of_a_turn(first: str, option: bool) -> None:
    begin, indent = ("if perturb:", 12) if option else ("pass", 8)

    def program(lines: list[str]) -> str:
        second = f"\n{' ' * indent}".join(lines)
        return PROGRAM.format(first=first, begin=begin, second="    " * option + second)

    assert_marked(program(EARLY))
    assert_marked(program(RIGHT))


def test_gradients_that_are_cleared_at_the_wrong_place_are_told_once() -> None:
    cleared = ["again = nn.functional.mse_loss(net(attack(x)), y)", "again.backward()", "opt.zero_grad()  # expect: LL101", "opt.step()"]
    assert_marked(PROGRAM.format(first=SKIPPED["not finite"], begin="pass", second="\n        ".join(cleared)))
