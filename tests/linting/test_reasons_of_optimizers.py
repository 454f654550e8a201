"""The reason that is said of a loop tells what is known of the optimizers that hold what goes backward, and names the one that steps in the loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.files import lint_paths

CHECKED = """\
import torch
from torch import nn, optim


def test_gradients(loader):
    net, copied = nn.Linear(2, 2), nn.Linear(2, 2)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    {built}
    for x, y in loader:
        {clear}
        loss = nn.functional.mse_loss(copied(x), y)
        loss.backward()
        print([p.grad for p in copied.parameters()])
"""
HELD = "the optimizer that holds the parameters that `loss` comes from is not known to step"
FREE = "no known optimizer holds the parameters that `loss` comes from"
# Two loops of one function, of which neither optimizer is known.
TWO = """\
import torch
from torch import nn


def update(agent, net, loader):
    first, second = agent["first"], agent["second"]
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        first.update.step()
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        second.update.step()
"""


def _reasons(path: Path, text: str) -> list[str]:
    path.write_text(text)
    return [loop.reason for loop in lint_paths([str(path)], jobs=1).coverage.loops]


@pytest.mark.parametrize(
    "held", ["copied.parameters()", "[p for p in copied.parameters() if p.requires_grad]", "list(copied.parameters())"]
)
def test_an_optimizer_that_never_steps_holds_them(tmp_path: Path, held: str) -> None:
    built, clear = f"optimizer = optim.SGD({held}, lr=0.1)", "optimizer.zero_grad()"
    assert _reasons(tmp_path / "train.py", CHECKED.format(built=built, clear=clear))[1:] == [HELD]


def test_no_optimizer_holds_them(tmp_path: Path) -> None:
    assert _reasons(tmp_path / "train.py", CHECKED.format(built="copied.train()", clear="copied.zero_grad()"))[1:] == [FREE]


def test_the_step_in_the_loop_is_named(tmp_path: Path) -> None:
    assert _reasons(tmp_path / "train.py", TWO) == [f"`{name}.update` is not known to be an optimizer" for name in ("first", "second")]
