"""What to do about an optimizer that is not restored: its state is loaded where the checkpoint has it, and saved first where it has not."""

from __future__ import annotations

import pytest

import looplint

TEXT = """\
import torch
from torch import nn, optim


def build(path=None):
    net = nn.Linear(2, 1)
    first = 0
    if path:
        checkpoint = torch.load(path, map_location="cpu")
        net.load_state_dict(checkpoint["net"])
        first = checkpoint["epoch"] + 1
    return net.to("cuda"), first


def save(state, path):
    torch.save(state, path)


def train(loader, resume, other):
    {built}
    opt = optim.Adam(net.parameters())
    for epoch in range(first, 9):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
        {saved}


train(read(), "last.pt", optim.Adam(nn.Linear(2, 2).parameters()))
"""
ONCE = "net, first = build(resume)"
IN_BRANCHES = "net, first = build(resume) if read() else build()"
IN_STATEMENTS = "if read():\n        net, first = build(resume)\n    else:\n        net, first = build()"
WITH = 'save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, "last.pt")'
WITHOUT = 'save({"net": net.state_dict(), "epoch": epoch}, "last.pt")'
OF_ANOTHER = 'save({"net": net.state_dict(), "opt": other.state_dict(), "epoch": epoch}, "last.pt")'


@pytest.mark.parametrize("built", [ONCE, IN_BRANCHES, IN_STATEMENTS], ids=["once", "in an expression", "in branches"])
@pytest.mark.parametrize(
    ("saved", "how"),
    [(WITH, "; load its state here too"), (WITHOUT, "; save its state with"), (OF_ANOTHER, "; save its state with")],
    ids=["with it", "without it", "with another's"],
)
def test_what_is_to_be_done(built: str, saved: str, how: str) -> None:
    found = looplint.lint(TEXT.format(built=built, saved=saved), isolated=True, select=["LL802"])
    assert [how in f.message for f in found] == [True]
