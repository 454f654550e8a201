"""A part that is met by going over a module, or by a name that is computed, is one of those that the module's class makes (LL302)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.ModuleList()
        for number in range(width):
            self.inner.append(nn.Linear(3, 3))
        self.layer = LAYER
        MORE

    def forward(self, x):
        return self.layer(x)


class Wrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net(3)

    def forward(self, x):
        return self.net(x)


def chosen(net, names):
    for name in names:
        part = getattr(net, name, None)
        if isinstance(part, nn.Module):
            return part
    for name, part in net.named_children():
        if "net" in name and isinstance(part, nn.Module):
            return part
    return None


def main(loader, valid, names):
    net = Wrapper()
    part = MET
    part.requires_grad_(True)
    opt = torch.optim.Adam(net.parameters())
    for epoch in range(9):
        net.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
        with torch.no_grad():
            for x, y in valid:
                print(nn.functional.mse_loss(net(x), y).item())


main(batches(), more_batches(), words())
"""
WAYS = [
    "chosen(net, names)",
    "list(net.children())[0]",
    "next(net.children())",
    "getattr(net.net, names[0])",
    "next(part for part in net.modules())",
]


def found(met: str, layer: str, more: str = "pass") -> list[tuple[str, str]]:
    text = PROGRAM.replace("MET", met).replace("LAYER", layer).replace("MORE", more)
    return [(f.code, f.severity) for f in looplint.lint(text, isolated=True) if f.code == "LL302"]


@pytest.mark.parametrize("met", WAYS)
def test_none_has_modes(met: str) -> None:
    assert found(met, "nn.Linear(3, 3)") == []


@pytest.mark.parametrize("met", WAYS)
def test_one_has_modes(met: str) -> None:
    assert found(met, "nn.Sequential(nn.Linear(3, 3), nn.Dropout())") == [("LL302", "error")]
    assert found(met, "nn.Linear(3, 3)", "self.add_module('norm', nn.BatchNorm1d(3))") == [("LL302", "error")]


def test_what_is_put_there_under_a_computed_name() -> None:
    assert found("chosen(net, names)", "nn.Linear(3, 3)", "self.add_module(f'norm{width}', nn.BatchNorm1d(3))") == [("LL302", "error")]
