"""LL302: a part that alone is put back to train mode, in a model in eval mode, is meant to be (the dropout of Tacotron's pre-net)."""

from __future__ import annotations

import re

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))

    def forward(self, x):
        return self.net(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
        self.decoder = Decoder()

    def forward(self, x):
        return self.decoder(self.encoder(x))


def validate(model, valid):
    total = 0.0
    with torch.no_grad():
        for x, y in valid:
            total += nn.functional.mse_loss(model.decoder(model.encoder(x)), y).item()
    return total


def train(loader, valid):
    model = Model()
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(10):
        {train}
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model.decoder(model.encoder(x)), y).backward()
            optimizer.step()
        {modes}
        print(validate(model, valid))
"""


def found(train: str, modes: str) -> list[str]:
    text = PROGRAM.format(train=train, modes=modes.replace("\n", "\n        "))
    messages = [f.message for f in looplint.lint(text, isolated=True) if f.code == "LL302"]
    return [name for message in messages for name in re.split(r" is in | are in ", message)[0].split(" and ")]


@pytest.mark.parametrize(
    "modes",
    [
        "model.eval()\nmodel.decoder.train()",
        "model.eval()\nmodel.decoder.net.train()\nmodel.decoder.train()",
        "model.train(False)\nmodel.decoder.train(True)",
        "model.eval()\ndecoder = model.decoder\ndecoder.train()",
    ],
)
def test_a_part_that_is_put_back(modes: str) -> None:
    assert not found("model.train()", modes)


@pytest.mark.parametrize(
    ("train", "modes", "named"),
    [
        ("model.train()", "pass", "model"),
        ("model.train()", "model.encoder.eval()", "model.decoder"),
        ("model.train()", "model.eval()\nmodel.train()", "model"),
        ("model.train()", "model.eval()\nprint(validate(model, valid))\nmodel.train()\nmodel.decoder.train()", "model.decoder"),
        # The part is put in train mode to be trained.
        ("model.encoder.eval()\n        model.decoder.train()", "pass", "model.decoder"),
    ],
)
def test_one_that_is_left_in_train_mode(train: str, modes: str, named: str) -> None:
    assert named in found(train, modes)
