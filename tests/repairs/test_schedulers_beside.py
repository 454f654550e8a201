"""The step of a scheduler goes behind the optimizer's by itself only where no other one stays that stepped beside it."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import optim


    def train(one, two, data, config):
        first = optim.Adam(one.parameters())
        second = optim.Adam(two.parameters())
        slow = optim.lr_scheduler.StepLR(first, 10)
        late = optim.lr_scheduler.StepLR(second, 10)
        for epoch in range(30):
            slow.step()
            BESIDE
            for number, (x, y) in enumerate(data):
                first.zero_grad()
                second.zero_grad()
                loss = (one(x) - y).pow(2).mean() + (two(x) - y).pow(2).mean()
                loss.backward()
                first.step()
                SECOND
"""
PROGRAMS = {
    "alone": ("pass", "second.step()", [("slow", "safe")]),
    "beside one that moves too": ("late.step()", "second.step()", [("slow", "safe"), ("late", "safe")]),
    "beside one that stays": ("late.step()", "if x.sum() > 0: second.step()", [("slow", "unsafe")]),
}


@pytest.mark.parametrize(("beside", "second", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_of_two_schedulers(beside: str, second: str, expected: list[tuple[str, str]]) -> None:
    text = dedent(PROGRAM).replace("BESIDE", beside).replace("SECOND", second)
    found = [f for f in looplint.lint(text, select=["LL203"], isolated=True) if f.fix is not None]
    assert [(f.message.partition(".")[0], f.fix.applicability) for f in found if f.fix] == expected
