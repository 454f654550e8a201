"""The steps of an optimizer leave a model as it is that nothing gives gradients: a state of it that is kept is no other later (LL801)."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import torch
from torch import nn, optim
from torch.nn import functional as F


class Nets:
    def __init__(self):
        self.enc = nn.Linear(4, 2)
        self.dec = nn.Linear(2, 4)


def train(train_loader, val_loader):
    enc, dec, head = nn.Linear(4, 2), nn.Linear(2, 4), nn.Linear(2, 3)
    nets, around = Nets(), nn.Sequential(dec, nn.ReLU())
    opt = optim.Adam([*enc.parameters(), *dec.parameters(), *head.parameters(), *nets.dec.parameters()], lr=0.1)
    best = float("inf")
    for epoch in range(10):
        for x, y in train_loader:
            z = enc(x)
            loss = F.cross_entropy(head(z), y)
            {more}
            opt.zero_grad()
            loss.backward()
            opt.step()
        with torch.no_grad():
            error = sum(F.mse_loss(dec(enc(x)), x).item() for x, _ in val_loader)
        if error < best:
            best, kept = error, {kept}.state_dict()
    torch.save(kept, "best.pt")
"""
UNTRAINED = {
    "it is in no loss": ("pass", "dec"),
    "it gives what is only shown": ("print(F.mse_loss(dec(z), x).item())", "dec"),
    "its output is cut off": ("loss = loss + F.mse_loss(dec(z).detach(), x)", "dec"),
    "it is an attribute": ("loss = loss + nets.enc(x).mean()", "nets.dec"),
    "it runs without gradients": ("with torch.no_grad(): print(dec(z))", "dec"),
}
TRAINED = {
    "it is in the loss": ("loss = loss + F.mse_loss(dec(z), x)", "dec"),
    "another one is trained": ("pass", "enc"),
    "its weight is in the loss": ("loss = loss + F.linear(z, dec.weight).mean()", "dec"),
    "its parameters are in the loss": ("loss = loss + sum(p.norm() for p in dec.parameters())", "dec"),
    "a function applies it": ("loss = loss + torch.func.functional_call(dec, dict(dec.named_parameters()), (z,)).mean()", "dec"),
    "it gets gradients by hand": ("dec.weight.grad = z.mean() * torch.ones_like(dec.weight)", "dec"),
    "its weight is multiplied": ("loss = loss + (z @ dec.weight).mean()", "dec"),
    "its bias is added": ("loss = loss + (x + dec.bias).mean()", "dec"),
    "each parameter is": ("for p in dec.parameters(): loss = loss + (p - loss).mean()", "dec"),
    "it is a part of what is trained": ("loss = loss + around(z).mean()", "dec"),
}


@pytest.mark.parametrize(("more", "kept"), UNTRAINED.values(), ids=UNTRAINED)
def test_no_step_changes_what_gets_no_gradients(more: str, kept: str) -> None:
    assert "LL801" not in _reported(more, kept)


@pytest.mark.parametrize(("more", "kept"), TRAINED.values(), ids=TRAINED)
def test_a_step_changes_what_gets_gradients(more: str, kept: str) -> None:
    assert "LL801" in _reported(more, kept)


def _reported(more: str, kept: str) -> list[str]:
    return [f.code for f in looplint.lint(SCRIPT.format(more=more, kept=kept), isolated=True)]
