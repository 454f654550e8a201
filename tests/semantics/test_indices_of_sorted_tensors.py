"""`sort`, `topk` and their like give values and indices whatever they are asked: the indices have no graph, and become arrays."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn


def main(net: nn.Module, loader):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    net.eval()
    for x, y in loader:
        values, indices = SORTED
        print((READ.cpu().numpy() == y.numpy()).sum())
"""
SORTED = [
    "torch.sort(net(x), descending=True)",
    "net(x).sort()",
    "torch.topk(net(x), 5)",
    "net(x).mode()",
    "torch.max(net(x), 1)",
    "net(x).kthvalue(2)",
]


@pytest.mark.parametrize("sort", SORTED)
def test_indices_become_arrays_and_values_do_not(sort: str) -> None:
    for read, severity in (("indices", "warning"), ("values", "error")):
        found = looplint.lint(PROGRAM.replace("SORTED", sort).replace("READ", read), isolated=True)
        assert [(f.code, f.severity) for f in found] == [("LL303", severity)]
