"""A part that comes out of a library that cannot be read, and is frozen as a whole: its module builds no graph (LL303)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import sys
import torch
from torch import nn
from efficientnet_pytorch import EfficientNet

def made(kind):
    if kind == "large":
        net = EfficientNet.from_pretrained("efficientnet-b7")
    else:
        net = EfficientNet.from_pretrained("efficientnet-b0")
    return net, net._fc.in_features

class Encoder(nn.Module):
    def __init__(self, kind, tune=False):
        super().__init__()
        self.net, self.width = made(kind)
        FROZEN

    def tune(self, tune):
        for part in self.net.children():
            for p in part.parameters():
                p.requires_grad = tune

    def forward(self, x):
        return self.net(x)

encoder = Encoder(MADE)
encoder.eval()
for path in sys.argv[2:]:
    print(encoder(torch.load(path)).argmax(1).tolist())
"""
FREEZE = "for p in self.net.parameters(): p.requires_grad = False"
INDENT = "\n        "


def _is_reported(frozen: str, made: str = "sys.argv[1]") -> bool:
    return any(f.code == "LL303" for f in looplint.lint(PROGRAM.replace("FROZEN", frozen).replace("MADE", made), isolated=True))


@pytest.mark.parametrize(
    ("frozen", "made"),
    [
        (FREEZE, "sys.argv[1]"),
        ("self.net.requires_grad_(False)", "sys.argv[1]"),
        (FREEZE + INDENT + "self.tune(tune)", "sys.argv[1]"),
        (FREEZE + INDENT + "self.tune(tune)", "sys.argv[1], tune=False"),
        (FREEZE + INDENT + "self.pool = nn.AdaptiveAvgPool2d(1)", "sys.argv[1]"),
    ],
)
def test_what_is_frozen_builds_no_graph(frozen: str, made: str) -> None:
    assert not _is_reported(frozen, made)


@pytest.mark.parametrize(
    ("frozen", "made"),
    [
        ("pass", "sys.argv[1]"),
        (FREEZE + INDENT + "self.tune(tune)", "sys.argv[1], tune=True"),
        (FREEZE + INDENT + "self.net.requires_grad_(True)", "sys.argv[1]"),
        (FREEZE + INDENT + "for p in self.net.head.parameters(): p.requires_grad = True", "sys.argv[1]"),
        (FREEZE + INDENT + "self.net.fc = nn.Linear(1280, 10)", "sys.argv[1]"),
        (FREEZE + INDENT + "self.head = nn.Linear(1280, 10)", "sys.argv[1]"),
        ("for n, p in self.net.named_parameters(): p.requires_grad = 'fc' in n", "sys.argv[1]"),
    ],
)
def test_what_takes_gradients_does(frozen: str, made: str) -> None:
    assert _is_reported(frozen, made)
