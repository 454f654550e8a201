"""retain_graph=True is kept for nothing where derivatives are asked for before the backward of the same turn; after it, or of an earlier turn, it is needed."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

HEAD = """\
import torch
from models import explain
from torch import nn, optim


def slope(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


def fit(loader):
    net, other = nn.Linear(1, 1), nn.Linear(1, 1)
    optimizer = optim.Adam([*net.parameters(), *other.parameters()], lr=0.1)
    before = None
    net.train()
    for x, y in loader:
        optimizer.zero_grad()
"""
KEPT_FOR_NOTHING = {
    "a residual": """\
        x.requires_grad_(True)
        u = net(x)
        loss = (slope(u, x) - y).square().mean()
        loss.backward(retain_graph=True)  # expect: LL110
        optimizer.step()
""",
    "a second derivative beside data": """\
        x = x.clone().requires_grad_(True)
        u = net(x)
        second = slope(slope(u, x), x)
        loss = second.square().mean() + nn.functional.mse_loss(u, y)
        loss.backward(retain_graph=True)  # expect: LL110
        optimizer.step()
""",
    "a penalty of gradients": """\
        mixed = torch.lerp(x, y, torch.rand(len(x), 1)).requires_grad_(True)
        (gradient,) = torch.autograd.grad(net(mixed).sum(), mixed, create_graph=True)
        loss = net(x).mean() - net(y).mean() + (gradient.norm(dim=1) - 1).square().mean()
        loss.backward(retain_graph=True)  # expect: LL110
        optimizer.step()
""",
    "a Jacobian": """\
        made = net(x)
        slopes = torch.autograd.functional.jacobian(lambda given: net(given).sum(), x, create_graph=True)
        loss = nn.functional.mse_loss(made, y) + slopes.square().mean()
        loss.backward(retain_graph=True)  # expect: LL110
        optimizer.step()
""",
}
NEEDED = {
    "derivatives after the backward": """\
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward(retain_graph=True)
        gradients = torch.autograd.grad(loss, list(net.parameters()))
        optimizer.step()
        print(gradients[0].norm())
""",
    "those of the turn before": """\
        if before is not None:
            gradients = torch.autograd.grad(before, list(net.parameters()))
            print(gradients[0].norm())
        before = nn.functional.mse_loss(net(x), y)
        before.backward(retain_graph=True)
        optimizer.step()
""",
    "those of the turn before, beside those of this one": """\
        loss = nn.functional.mse_loss(net(x), y)
        if before is not None:
            gradients = torch.autograd.grad(before, list(net.parameters()))
            print(gradients[0].norm())
        loss.backward(retain_graph=True)
        before = loss
        optimizer.step()
""",
    "derivatives that code out of sight may ask for": """\
        x.requires_grad_(True)
        u = net(x)
        loss = (slope(u, x) - y).square().mean()
        loss.backward(retain_graph=True)
        explain(net, loss)
        optimizer.step()
""",
    "a second backward": """\
        x.requires_grad_(True)
        u = net(x)
        slope(u, x).square().mean().backward(retain_graph=True)
        nn.functional.mse_loss(u, y).backward()
        optimizer.step()
""",
}


@pytest.mark.parametrize("case", KEPT_FOR_NOTHING)
def test_the_backward_is_the_last_that_goes_through(case: str) -> None:
    assert_marked(HEAD + KEPT_FOR_NOTHING[case])


@pytest.mark.parametrize("case", NEEDED)
def test_something_goes_through_the_graph_again(case: str) -> None:
    assert_marked(HEAD + NEEDED[case])
