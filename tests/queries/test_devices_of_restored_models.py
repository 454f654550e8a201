"""Where a model that is restored lies is asked of its own moves: what another model of the program is moved to says nothing of its file (LL803)."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def load(path, model, optimizer=None):
    checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    if optimizer is not None:
        optimizer.load_state_dict(checkpoint["optimizer"])
    return model, optimizer


def train(model, optimizer):
    for x, y in batches:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "model.pt")


"""
SCRIPT = """\
moved, plain = nn.Linear(2, 2).to(device), nn.Linear(2, 2)
first, second = torch.optim.Adam(moved.parameters()), torch.optim.Adam(plain.parameters())
both = torch.optim.Adam([*moved.parameters(), *plain.parameters()])
{restored}
train(moved, first)
train(plain, second)
train(plain, both)
"""


def told_of(program: str) -> bool:
    return any(f.code == "LL803" for f in looplint.lint(HEAD + program, isolated=True))


@pytest.mark.parametrize(
    "program",
    [
        SCRIPT.format(restored='load("model.pt", plain)'),
        SCRIPT.format(restored='load("model.pt", plain, second)'),
        SCRIPT.format(restored='load("model.pt", plain, first if sys.argv[1:] else second)'),
        SCRIPT.format(restored='load("model.pt", plain, {"one": first, "other": second}[sys.argv[1]])'),
        SCRIPT.format(restored='for each in [first, second]:\n    load("model.pt", plain, each)'),
    ],
)
def test_another_model_that_is_moved_is_not_asked(program: str) -> None:
    assert not told_of(program)


@pytest.mark.parametrize(
    "program",
    [
        SCRIPT.format(restored='load("model.pt", moved)'),
        SCRIPT.format(restored='load("model.pt", moved, first)'),
        SCRIPT.format(restored='load("model.pt", plain, both)'),  # whose state is that of the model on the device too
        SCRIPT.format(restored='first.load_state_dict(torch.load("optimizer.pt"))'),
    ],
)
def test_a_model_that_is_moved_and_its_optimizer_are_told_of(program: str) -> None:
    assert told_of(program)
