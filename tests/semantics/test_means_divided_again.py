"""The mean loss of a batch is divided by the size of the batch once more."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder


    def train(net, opt, config, batch_size, width):
        loader = DataLoader(ImageFolder("photos"), batch_size=SIZE, shuffle=True)
        criterion = nn.MSELoss(ARGUMENT)
        total = 0.0
        for x, y in loader:
            opt.zero_grad()
            loss = LOSS
            loss.backward()
            opt.step()
            total += ADDED
        return RESULT
    """
DEFAULTS = {"SIZE": "batch_size", "ARGUMENT": "", "LOSS": "criterion(net(x), y)", "ADDED": "loss.item()", "RESULT": "total"}
DIVIDED = {
    "by its name": {"ADDED": "loss.item() / batch_size"},
    "by that of a configuration": {"SIZE": "config.batch_size", "ADDED": "loss.item() / config.batch_size"},
    "by the length of the batch": {"ADDED": "loss.item() / len(x)"},
    "by its first dimension": {"ADDED": "loss.item() / x.size(0)"},
    "the sum": {"RESULT": "total / batch_size"},
}
RIGHT = {
    "a sum": {"ARGUMENT": 'reduction="sum"', "ADDED": "loss.item() / batch_size"},
    "a sum by hand": {"ARGUMENT": 'reduction="none"', "LOSS": "criterion(net(x), y).sum()", "ADDED": "loss.item() / len(x)"},
    "a reduction that is not known": {"ARGUMENT": "reduction=config.reduction", "ADDED": "loss.item() / batch_size"},
    "multiplied again": {"ADDED": "loss.item() / batch_size * len(x)"},
    "multiplied": {"ADDED": "loss.item() * batch_size"},
    "by something else": {"ADDED": "loss.item() / width"},
    "batches of one item": {"SIZE": "1", "ADDED": "loss.item() / batch_size"},
    "the number of batches": {"RESULT": "total / len(loader)"},
}


def _reported(changes: dict[str, str]) -> list[str]:
    text = dedent(PROGRAM)
    for name, value in {**DEFAULTS, **changes}.items():
        text = text.replace(name, value)
    return [f.message for f in looplint.lint(text, select=["LL404"], isolated=True)]


@pytest.mark.parametrize("changes", DIVIDED.values(), ids=DIVIDED)
def test_a_mean_is_divided_again(changes: dict[str, str]) -> None:
    (message,) = _reported(changes)
    assert "once more" in message


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_where_it_is_right(changes: dict[str, str]) -> None:
    assert not _reported(changes)
