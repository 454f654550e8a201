"""A forward of a part runs that part alone (LL302): whether its modes differ, its own layers tell, and those of what another branch builds in its place."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Part(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.layer = LAYER
        self.norm = NORM

    def forward(self, x):
        return self.norm(self.layer(x))


class Model(nn.Module):
    def __init__(self, args, given=None):
        super().__init__()
        self.dropout = nn.Dropout()
        PART
        self.other = nn.Linear(3, 3)

    def forward(self, x):
        return self.dropout(self.part(x)) + self.other(x)

    def fit(self, loader, valid):
        opt = torch.optim.Adam(self.parameters())
        for epoch in range(9):
            self.train()
            for x, y in loader:
                opt.zero_grad()
                loss = nn.functional.mse_loss(self(x) + self.part(x), y)
                loss.backward()
                opt.step()
            with torch.no_grad():
                for x, y in valid:
                    print(nn.functional.mse_loss(self.part(x), y).item())
"""
BUILT = "self.part = Part(0.1)"
LOADED = """\
if args.load:
            old = torch.load(args.path)
            self.part = OLD
        else:
            self.part = Part(0.1)"""
OPTIMIZERS = """\
self.part.parameters())
        others = torch.optim.Adam(self.other.parameters())"""


def found(part: str, layer: str = "nn.Linear(3, 3)", norm: str = "nn.LayerNorm(3)", *, of_its_own: bool = False) -> list[tuple[str, str]]:
    text = PROGRAM.replace("PART", part).replace("LAYER", layer).replace("NORM", norm)
    if of_its_own:
        text = text.replace("self.parameters())", OPTIMIZERS).replace("opt.step()", "opt.step()\n                others.step()")
    return [(f.code, f.severity) for f in looplint.lint(text, isolated=True) if f.code == "LL302"]


@pytest.mark.parametrize("of_its_own", [False, True])
@pytest.mark.parametrize("old", ["old.part", "old.part.to(args.device)", "old['model'].part"])
@pytest.mark.parametrize("layer", ["nn.Linear(3, 3)", "nn.GRU(3, 3, dropout=rate)"])
def test_a_part_without_modes(layer: str, old: str, of_its_own: bool) -> None:
    assert found(BUILT, layer, of_its_own=of_its_own) == []
    assert found(LOADED.replace("OLD", old), layer, of_its_own=of_its_own) == []


@pytest.mark.parametrize("of_its_own", [False, True])
@pytest.mark.parametrize("old", ["old.part", "old.part.to(args.device)"])
@pytest.mark.parametrize(
    ("layer", "norm"),
    [
        ("nn.GRU(3, 3, num_layers=2, dropout=rate)", "nn.LayerNorm(3)"),
        ("nn.Linear(3, 3)", "nn.BatchNorm1d(3)"),
        ("nn.Sequential(nn.Linear(3, 3), nn.Dropout())", "nn.LayerNorm(3)"),
    ],
)
def test_a_part_with_modes(layer: str, norm: str, old: str, of_its_own: bool) -> None:
    assert found(BUILT, layer, norm, of_its_own=of_its_own) == [("LL302", "error")]
    assert found(LOADED.replace("OLD", old), layer, norm, of_its_own=of_its_own) == [("LL302", "error")]


def test_a_part_out_of_sight_may_have_them() -> None:
    assert "error" not in [severity for _, severity in found("self.part = given if args.given else Part(0.1)", of_its_own=True)]
    assert found("self.part = library.make(args)", of_its_own=True) == [("LL302", "warning")]
