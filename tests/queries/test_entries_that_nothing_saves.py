"""A resumption that reads an entry which no file of the program has fails before the training goes on: nothing is said of what it lacks (LL802, LL803)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 2)
start_epoch, best = 0, 0.0
if args.resume:
    checkpoint = torch.load(args.resume)
    net.load_state_dict(checkpoint["{read}"])
    start_epoch, best = checkpoint["epoch"], checkpoint["acc"]
net.to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)

def save(epoch, best):
    {saved}

for epoch in range(start_epoch, 10):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
        optimizer.step()
    save(epoch, best)
"""
SAVED = {
    "at once": 'torch.save({"net": net.state_dict(), "epoch": epoch, "acc": best}, "last.pth")',
    "by a name": 'state = {"net": net.state_dict(), "epoch": epoch}; state["acc"] = best; torch.save(state, "last.pth")',
    "and the best alone": 'torch.save(net.state_dict(), "best.pth"); torch.save(dict(net=net.state_dict(), epoch=epoch, acc=best), "last.pth")',
}
OPEN = 'torch.save({"net": net.state_dict(), **others, "epoch": epoch, "acc": best}, "last.pth")'


def _found(read: str, saved: str) -> list[tuple[str, str]]:
    found = looplint.lint(PROGRAM.format(read=read, saved=saved), isolated=True, select=["LL802", "LL803"])
    return [(f.code, f.severity) for f in found]


@pytest.mark.parametrize("saved", SAVED.values(), ids=SAVED)
def test_an_entry_that_is_saved(saved: str) -> None:
    assert _found("net", saved) == [("LL803", "warning"), ("LL802", "warning")]


@pytest.mark.parametrize("saved", SAVED.values(), ids=SAVED)
def test_an_entry_that_is_not(saved: str) -> None:
    assert _found("model", saved) == [("LL803", "advice")]


def test_an_entry_that_may_be() -> None:
    assert _found("model", OPEN) == [("LL803", "warning"), ("LL802", "warning")]


def test_a_program_that_saves_nothing() -> None:
    assert _found("model", "pass") == [("LL803", "advice"), ("LL802", "warning")]
