"""A tensor that is moved, and goes into a model that nothing takes to that device, would only turn one mistake into another: unsafe (LL503)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """
    import torch
    from torch import nn
    import lib

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))

        def forward(self, x):
            return self.body(x)

    def show(net: nn.Module, device):
        data = torch.randn((8, 4))
        target = torch.zeros(8, device=device)
        data.to(device)
        {model}
        print((net(data).sum(1) - target).mean())

    {main}
"""
UNSAFE = {
    "built and never moved": ("net = Net()", ""),
    "handed in from there": ("", "show(Net(), 'cuda')"),
    "taken to the processor alone": ("net = Net().cpu()", ""),
    "converted alone": ("net = Net().to(torch.float64)", ""),
    "out of sight": ("", ""),
    "another one is moved": ("net = Net(); other = Net().to(device)", ""),
}
SAFE = {
    "moved beside it": ("net = Net().to(device)", ""),
    "moved where it was built": ("", "show(Net().cuda(), 'cuda')"),
    "its parts are moved": ("net = Net(); net.body.to(device)", ""),
    "out of sight, and something else is moved": ("target = target.to(device)", ""),
    "a layer without parameters": ("net = nn.Softmax(1)", ""),
}


def _repair(model: str, main: str) -> str | None:
    program = dedent(PROGRAM).replace("{model}", model).replace("{main}", main)
    (finding,) = looplint.lint(program, isolated=True, select=["LL503"])
    return finding.fix.applicability if finding.fix is not None else None


@pytest.mark.parametrize(("model", "main"), UNSAFE.values(), ids=UNSAFE)
def test_a_model_that_stays_where_it_is(model: str, main: str) -> None:
    assert _repair(model, main) == "unsafe"


@pytest.mark.parametrize(("model", "main"), SAFE.values(), ids=SAFE)
def test_a_model_that_is_there(model: str, main: str) -> None:
    assert _repair(model, main) == "safe"
