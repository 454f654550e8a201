"""What is set on a module from outside is an input of its forward: gradients go through it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16)

    def forward(self, x):
        return self.rnn(x)[1]

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 16)
        self.hidden = None

    def start(self, hidden):
        self.hidden = hidden

    def forward(self, x):
        out, self.hidden = self.rnn(x, self.hidden)
        return out

def train(loader):
    encoder, decoder = Encoder(), MADE
    encoder_opt = torch.optim.Adam(encoder.parameters())
    decoder_opt = torch.optim.Adam(decoder.parameters())
    for x, y in loader:
        encoder_opt.zero_grad()
        decoder_opt.zero_grad()
        SET
        loss = nn.functional.mse_loss(decoder(y), y)
        loss.backward()
        encoder_opt.step()
        decoder_opt.step()
"""


def _said(fed: str, made: str = "Decoder()") -> list[tuple[str, str]]:
    findings = looplint.lint(PROGRAM.replace("SET", fed).replace("MADE", made))
    return [(f.code, f.message.partition(" ")[0]) for f in findings if f.code == "LL107"]


@pytest.mark.parametrize(
    "fed", ["decoder.hidden = encoder(x)", "h = encoder(x)\n        decoder.hidden = h * 2", "decoder.start(encoder(x))"]
)
def test_gradients_reach_what_was_set(fed: str) -> None:
    assert _said(fed) == []


def test_a_module_that_cannot_be_read_is_fed_too() -> None:
    assert _said("decoder.hidden = encoder(x)", "nn.GRU(8, 8)") == []


@pytest.mark.parametrize(
    "fed", ["decoder.hidden = encoder(x).detach()", "decoder.start(encoder(x).detach())", "h = encoder(x).data\n        decoder.start(h)"]
)
def test_gradients_do_not_reach_what_was_cut_off(fed: str) -> None:
    assert _said(fed) == [("LL107", "encoder_opt.step()")]
