"""Gradients that are measured, or changed in place, are not applied: whoever forgets the step, or the backward, still hears of it."""

from __future__ import annotations

import pytest

import looplint

TRAINED = """\
import sys

import torch
from torch import nn, optim

def train(loader, factor, shrink):
    net = nn.Linear(8, 1)
    opt = optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            BACKWARD
            USE
            STEP
        print(loss.item())

train(batches, float(sys.argv[1]), sys.argv[2] == "shrink")
"""
FOR = "for p in net.parameters():\n                "


def _codes(use: str, *, backward: str = "loss.backward()", step: str = "opt.step()") -> list[str]:
    code = TRAINED.replace("USE", use).replace("BACKWARD", backward).replace("STEP", step)
    return [f.code for f in looplint.lint(code) if f.severity == "error"]


MEASURED = [
    "norm = sum(p.grad.detach().norm() ** 2 for p in net.parameters()); print(norm)",
    "norm = torch.norm(torch.stack([torch.norm(p.grad) for p in net.parameters()]))",
    "device = [*net.parameters()][0].grad.device; print(torch.stack([torch.norm(p.grad.detach()).to(device) for p in net.parameters()]))",
    "print(sum(p.grad.norm() for p in net.parameters() if p.grad.dtype == torch.float), net.weight.grad.device, net.weight.grad.data.shape)",
    "norm = torch.norm(torch.stack([torch.norm(p.grad.detach() * factor, 2.0) for p in net.parameters()]))",
    "print(sum((factor * p.grad / 2).norm() for p in net.parameters()))",
    FOR + "assert torch.isfinite(p.grad).all()",
    FOR + "print(p.grad.abs().mean().item())",
    FOR + "if p.grad is not None and p.grad.data.isnan().any():\n                    break",
]
CHANGED = [
    FOR + "p.grad.mul_(factor)",
    FOR + "p.grad.data.div_(factor)",
    FOR + "p.grad *= factor",
    "if shrink:\n                net.weight.grad.data.add_(1e-4 * torch.sign(net.weight.data))",
    "if shrink:\n                net.weight.grad += 1e-4 * torch.sign(net.weight.data)",
]
APPLIED = [
    FOR + "p.data.sub_(factor * p.grad.to(p.grad.device))",
    FOR + "p.data.sub_(factor * p.grad)",
    FOR + "p.data -= factor * p.grad / p.grad.norm()",
    FOR + "p.data.add_(p.grad.mul_(-factor))",
    "update([p.grad for p in net.parameters()])",
]


@pytest.mark.parametrize("use", [*MEASURED, *CHANGED])
def test_it_is_no_step(use: str) -> None:
    assert _codes(use) == []
    assert _codes(use, step="pass") == ["LL106"]


@pytest.mark.parametrize("use", APPLIED)
def test_it_is_one(use: str) -> None:
    assert "LL106" not in _codes(use, step="pass")


@pytest.mark.parametrize("use", CHANGED)
def test_it_is_no_backward(use: str) -> None:
    assert _codes(use, backward="pass") == ["LL107"]


@pytest.mark.parametrize(
    "use",
    [
        FOR + "p.grad = torch.randn_like(p)",
        FOR + "p.grad.copy_(torch.randn_like(p))",
        FOR + "p.grad.add_(torch.randn_like(p))",
        "if shrink:\n                net.weight.grad = torch.sign(net.weight.data)",
    ],
)
def test_gradients_by_hand_are_what_steps_use(use: str) -> None:
    assert _codes(use, backward="pass") == []


@pytest.mark.parametrize("added", ["p.grad.copy_(g)", "p.grad.add_(g)", "p.grad += g"])
def test_gradients_that_are_put_back_make_up_for_a_clear(added: str) -> None:
    kept = "kept = [p.grad.clone() for p in net.parameters()]; opt.zero_grad()\n            "
    assert _codes(kept + f"for p, g in zip(net.parameters(), kept):\n                {added}") == []


@pytest.mark.parametrize("use", CHANGED[3:])
def test_what_an_option_adds_makes_up_for_no_clear(use: str) -> None:
    assert _codes(f"opt.zero_grad()\n            {use}") == ["LL101"]
