"""A part that the constructor of a model builds is in train mode until the model is switched (LL302), whoever applies the part."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from transformers import BertModel
from data import loader, valid


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))

    def forward(self, x):
        return self.layers(x)


class Net(nn.Module):
    def __init__(self, encoder=None):
        super().__init__()
        self.encoder = ENCODER
        self.decoder = nn.Linear(3, 3)

    def forward(self, x):
        return self.decoder(self.encoder(x))

    def predict(self, x):
        return self.decoder(self.encoder(x)).argmax(1)


class Outer(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)


encoder = Encoder()
BEFORE
net = BUILT
optimizer = torch.optim.Adam(net.parameters())
for epoch in range(9):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
hits = 0
SWITCH
with torch.no_grad():
    for x, y in valid:
        hits += (APPLIED == y).sum().item()
"""
APPLIED = {
    "by a method of the model": "net.predict(x)",
    "by the program": "net.decoder(net.encoder(x)).argmax(1)",
    "a part of a part": "net.decoder(net.encoder.layers(x)).argmax(1)",
}


def found(applied: str, encoder: str = "Encoder()", before: str = "", built: str = "Net()", switch: str = "") -> list[str]:
    filled = {"ENCODER": encoder, "BEFORE": before, "BUILT": built, "SWITCH": switch, "APPLIED": applied}
    text = PROGRAM
    for name, value in filled.items():
        text = text.replace(name, value)
    return [f.message for f in looplint.lint(text, isolated=True) if f.code == "LL302"]


@pytest.mark.parametrize("applied", APPLIED.values(), ids=APPLIED)
def test_a_part_has_the_mode_in_which_its_model_is_built(applied: str) -> None:
    (message,) = found(applied)
    assert message.startswith("net is in train mode in this validation pass: dropout is active; call net.eval() before it")


def test_a_model_of_either_kind() -> None:
    assert len(found("net.decoder(net.encoder(x)).argmax(1)", built="Net() if torch.cuda.is_available() else Net(3)")) == 1


@pytest.mark.parametrize("applied", APPLIED.values(), ids=APPLIED)
def test_a_model_in_eval_mode(applied: str) -> None:
    assert found(applied, switch="net.eval()") == []


@pytest.mark.parametrize("applied", APPLIED.values(), ids=APPLIED)
def test_a_part_that_is_handed_in_keeps_its_mode(applied: str) -> None:
    assert found(applied, "encoder", "encoder.eval()", "Net(encoder)") == []


def test_a_part_of_what_is_handed_in_keeps_its_mode() -> None:
    assert found("net.net.encoder(x).argmax(1)", before="inner = Net(); inner.eval()", built="Outer(inner)") == []


def test_a_pretrained_part_is_in_eval_mode() -> None:
    assert found("net.encoder(x).argmax(1)", "BertModel.from_pretrained('bert-base-uncased')") == []


def test_a_part_without_modes() -> None:
    assert found("net.decoder(x).argmax(1)") == []
