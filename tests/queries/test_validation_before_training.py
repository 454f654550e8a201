"""Eval mode that a validation before the training leaves on is no choice: where validations in the loop switch it on again, nothing ever trains in train mode."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim


def main(loader, valid, every):
    net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1))
    opt = optim.SGD(net.parameters(), lr=0.1)
    {before}
    for epoch in range(10):
        {start}
        for n, (x, y) in enumerate(loader):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            if n % every == 0:
                {validation}
                {after}


main([], [], 4)
"""
LOOK = "net.eval()\n    with torch.no_grad():\n        for x, y in valid:\n            print(nn.functional.mse_loss(net(x), y).item())"


def codes(before: str, start: str = "pass", validation: str = "", after: str = "pass") -> list[str]:
    inside = (validation or LOOK).replace("\n", "\n            ")
    return [f.code for f in looplint.lint(SCRIPT.format(before=before, start=start, validation=inside, after=after), isolated=True)]


@pytest.mark.parametrize("before", [LOOK, "net.train()\n    " + LOOK, LOOK + "\n    print('begin')"])
def test_training_goes_on_in_eval_mode(before: str) -> None:
    assert codes(before) == ["LL301"]


def test_train_mode_is_switched_on_for_each_epoch() -> None:
    assert "LL301" not in codes(LOOK, start="net.train()")
    assert "LL301" not in codes(LOOK, after="net.train()")


def test_eval_mode_that_no_validation_asks_for_may_be_meant() -> None:
    assert "LL301" not in codes("net.eval()")
    assert "LL301" not in codes(LOOK, validation="print(n)")
