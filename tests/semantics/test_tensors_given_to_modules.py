"""LL502: only a parameter of another module is a new one; its data, a list, what is computed of it and what is frozen lack no optimizer."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAIN = """
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(3))
        self.register_buffer("prior", torch.zeros(3))

    def forward(self, x):
        return (x * self.w).sum(1)


def train(net: nn.Module, other: nn.Module, loader, epochs: int):
    opt = torch.optim.Adam(net.parameters())
    mine, theirs = Scaled(), Scaled()
    held = torch.optim.Adam(mine.parameters())
    {assigned}
    for epoch in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            held.zero_grad()
            nn.functional.mse_loss(net(x) + mine(x), y).backward()
            opt.step()
            held.step()
"""
NO_PARAMETERS = {
    "data": "net.prior = other.weight.data",
    "data, by a name": "start = other.weight.data\n    net.start = start",
    "data of each layer": """for layer, theirs in zip(net.children(), other.children()):
        layer.prior_mu = theirs.weight.data
        if layer.prior_bias is not None:
            layer.prior_bias = theirs.bias.data""",
    "data, moved": 'net.prior = other.weight.data.to("cuda")',
    "data, set by name": 'setattr(net, "prior", other.weight.data)',
    "data of each parameter": "for p in other.parameters():\n        net.last = p.data",
    "data of a parameter in sight": "mine.prior = theirs.w.data",
    "a row of the data": "net.first = other.weight.data[0]",
    "a row": "net.first = other.weight[0]",
    "rows": "net.few = other.weight[:2]",
    "turned": "net.turned = other.weight.t()",
    "half": "net.half_of_it = other.weight / 2",
    "negative": "net.negative = -other.weight",
    "a list": "net.theirs = list(other.parameters())",
    "a list of their data": "net.start = [p.data for p in other.parameters()]",
    "some of them": "net.start = [p for p in other.parameters() if p.dim() > 1]",
    "the iterator": "net.theirs = other.parameters()",
    "gradients": "net.old = [p.grad for p in other.parameters()]",
    "a gradient": "net.old = other.weight.grad",
    "a frozen one": "other.requires_grad_(False)\n    net.anchor = other.weight",
}
PARAMETERS = {
    "one of another": "net.head.weight = other.weight",
    "one of a list": "net.last = list(other.parameters())[-1]",
    "the last": "for p in other.parameters():\n        net.last = p",
    "the first": "net.first = next(other.parameters())",
    "changed in place": "net.first = other.weight.mul_(2)",
}


@pytest.mark.parametrize("assigned", NO_PARAMETERS.values(), ids=NO_PARAMETERS)
def test_no_parameter_replaces_none(assigned: str) -> None:
    assert_marked(TRAIN.format(assigned=assigned))


@pytest.mark.parametrize("assigned", PARAMETERS.values(), ids=PARAMETERS)
def test_a_parameter_of_another_is_new(assigned: str) -> None:
    assert_marked(TRAIN.format(assigned=f"{assigned}  # expect: LL502"))
