"""What a method writes into a tensor in place is in it afterwards, with its graph: a forward whose result goes backward that way is no validation."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


def gathered(outputs, targets, n):
    sums = outputs.new_zeros((n, 8))
    WRITTEN
    return sums


def main(net: nn.Module, loader, valid):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y, z in loader:
        opt.zero_grad()
        sums = gathered(net(x), y, 5)
        loss = nn.functional.mse_loss(sums, z)
        LOSS
        opt.step()
"""
WRITTEN = {
    "added to rows": "sums.scatter_add_(0, targets, outputs)",
    "and divided": "sums.scatter_add_(0, targets, outputs).div_(n)",
    "by an index": "sums.index_add_(0, targets, outputs)",
    "copied": "sums.copy_(outputs)",
    "added": "sums.add_(outputs, alpha=2)",
    "put into one of two": "sums.add_(1)\n    sums.copy_(outputs)",
}


def codes(written: str, loss: str) -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.replace("WRITTEN", written).replace("LOSS", loss), isolated=True)]


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_what_is_written_goes_backward(written: str) -> None:
    assert codes(written, "loss.backward()") == []
    assert "LL107" in codes(written, "print(loss.item())")


KEPT = PROGRAM.replace("LOSS", "nn.functional.mse_loss(net(x), z).backward()\n        kept.append(sums)").replace(
    "    for x", "    kept = []\n    for x"
)
GRAPHLESS = ["sums.fill_(1.0)", "sums.copy_(outputs.detach())", "with torch.no_grad():\n        sums.copy_(outputs)"]


@pytest.mark.parametrize(("written", "expected"), [("sums.copy_(outputs)", ["LL401"]), *((written, []) for written in GRAPHLESS)])
def test_a_list_keeps_what_graph_was_written(written: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(KEPT.replace("WRITTEN", written), isolated=True) if f.severity != "advice"] == expected
