"""A scheduler that is told the epoch counts epochs, whatever the words of its arguments say."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
from torch import nn, optim


def fit(net: nn.Module, loader, config):
    optimizer = optim.Adam(net.parameters(), lr=0.1)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=config["{size}"], gamma=0.1)
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        scheduler.step({told})
"""


def _codes(size: str, told: str = "") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(size=size, told=told), isolated=True, select=["LL202"])]


@pytest.mark.parametrize("told", ["epoch", "epoch=epoch", "epoch=epoch + 1"])
def test_one_that_is_told_the_epoch_counts_epochs(told: str) -> None:
    assert _codes("iters_per_drop", told) == []


@pytest.mark.parametrize("size", ["lr_dc_step", "lr_drop_steps", "opt.lr_reduce_step", "lrdec_step", "lrstep"])
def test_the_step_of_a_staircase_says_nothing(size: str) -> None:
    assert _codes(size) == []


@pytest.mark.parametrize("size", ["iters_per_drop", "lr_warmup_steps", "lr_max_steps"])
def test_one_that_is_told_nothing_counts_its_steps(size: str) -> None:
    assert _codes(size) == ["LL202"]


LENGTHS = {
    "CosineAnnealingLR(optimizer, T_max=len(loader))": "give it the number of epochs",
    "PolynomialLR(optimizer, len(loader), 2.0)": "give it the number of epochs",
    "CosineAnnealingLR(optimizer, T_max=10 * len(loader))": "step it after each step of the optimizer",
    "StepLR(optimizer, len(loader))": "step it after each step of the optimizer",
}


@pytest.mark.parametrize("built", LENGTHS)
def test_a_schedule_as_long_as_one_epoch_is_not_stepped_for_each_batch(built: str) -> None:
    """Stepped so it would be at its end with the first epoch, and a cosine would rise again in the second."""
    text = PROGRAM.replace('StepLR(optimizer, step_size=config["{size}"], gamma=0.1)', built).format(told="")
    (found,) = looplint.lint(text, isolated=True, select=["LL202"])
    assert found.message.endswith(LENGTHS[built])
    assert (found.fix is None) == ("epochs" in LENGTHS[built])
