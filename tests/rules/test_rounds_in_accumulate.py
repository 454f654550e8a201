"""Several rounds of backward, step and clear in one `accumulate()`: no clear can be moved, as the losses are to be added up (LL101)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
from accelerate import Accelerator
import torch


def main(args, loader, net):
    accelerator = Accelerator(gradient_accumulation_steps=args.k)
    opt = torch.optim.Adam(net.parameters())
    net, opt, loader = accelerator.prepare(net, opt, loader)
    for x, y in loader:
        with accelerator.accumulate(net):
{rounds}
"""
BACKWARD, STEP, CLEAR = "            accelerator.backward(net({}).mean())\n", "            opt.step()\n", "            opt.zero_grad()\n"
TWO = BACKWARD.format("x") + STEP + CLEAR + BACKWARD.format("y") + STEP + CLEAR
THREE = TWO + BACKWARD.format("x + y") + STEP + CLEAR
LEFT_OVER = BACKWARD.format("x") + CLEAR + BACKWARD.format("x") + STEP + CLEAR + BACKWARD.format("y") + STEP + CLEAR


@pytest.mark.parametrize(("rounds", "steps"), [(TWO, 2), (THREE, 3), (LEFT_OVER, 2)])
def test_rounds_are_one_finding_that_nothing_repairs(tmp_path: Path, rounds: str, steps: int) -> None:
    broken = PROGRAM.format(rounds=rounds)
    (found,) = [f for f in looplint.lint(broken, isolated=True) if f.code == "LL101"]
    assert f"opt steps {steps} times in accumulate()" in found.message
    assert found.fix is None
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == broken


@pytest.mark.parametrize("rounds", [BACKWARD.format("x") + STEP + CLEAR, BACKWARD.format("x") + BACKWARD.format("y") + STEP + CLEAR])
def test_one_round(rounds: str) -> None:
    assert not looplint.lint(PROGRAM.format(rounds=rounds), isolated=True)


def test_a_clear_above_the_only_backward_is_moved(tmp_path: Path) -> None:
    broken = PROGRAM.format(rounds=CLEAR + BACKWARD.format("x") + STEP)
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == PROGRAM.format(rounds=BACKWARD.format("x") + STEP + CLEAR)
