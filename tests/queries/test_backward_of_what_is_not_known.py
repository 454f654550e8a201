"""A forward in a turn that goes on to send something backward of which nothing is known may be what goes backward (LL302, LL303)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from lib import Outputs, plots


def query(net, batches):
    found = {{}}
    for name, x, y in batches:
        scores = net(x)
        print(nn.functional.mse_loss(scores, y).item())
        found[name] = scores.data
    return Outputs(len(found), names=list(found))


def main(batches, test_batches, y):
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for epoch in range(100):
        opt.zero_grad()
        {turn}
        opt.step()
        {after}
"""
UNKNOWN = "nn.functional.mse_loss(query(net, batches).logits['c'], y).backward()"
KNOWN = "nn.functional.mse_loss(net(y), y).backward()"
CASES = {
    "a loss of what is not known": (UNKNOWN, "pass", []),
    "by a name": ("loss = query(net, batches).loss()\n        loss.backward()", "pass", []),
    "in another function": ("plots.show(query(net, batches))\n        plots.loss().backward()", "pass", []),
    "a loss that is known": (f"query(net, batches)\n        {KNOWN}", "pass", ["LL302", "LL303"]),
    "in a loop of its own": (
        "query(net, test_batches)\n        for batch in batches:\n            plots.loss(batch).backward()",
        "pass",
        ["LL302", "LL303"],
    ),
    "after the step": (UNKNOWN, "query(net, test_batches)", ["LL302", "LL303"]),
}


@pytest.mark.parametrize(("turn", "after", "codes"), CASES.values(), ids=CASES)
def test_it_may_be_what_goes_backward(turn: str, after: str, codes: list[str]) -> None:
    found = looplint.lint(PROGRAM.format(turn=turn, after=after), isolated=True)
    assert sorted(f.code for f in found if f.severity != "advice") == codes
