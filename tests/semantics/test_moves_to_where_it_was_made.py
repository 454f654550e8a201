"""A tensor that was made on a device is moved to it without a copy: the call does nothing, and its result is missed by nobody."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch

def fill(n, device, other, given):
    {made}
    x.{move}
    return x.sum()
"""
THERE = [
    "x = torch.arange(n, device=device)",
    "x = torch.arange(n, device=device).float()",
    "x = torch.arange(n, device=device)\n    x = x.repeat(3, 1)",
    "x = torch.zeros(n).to(device)",
    "y = torch.zeros(n, device=device)\n    x = y.view(-1, 1)",
    "y = batch[0].to(device, non_blocking=True)\n    x = y.clone()\n    x[x == 0] = -100",
    "y = torch.zeros(n).to(device)\n    x = y > torch.mean(y) * 0.1",
    "y = torch.zeros(n).to(device)\n    x = 1 - y",
    "y = torch.zeros(n).to(device)\n    x = ~torch.isnan(y)",
    "y = torch.zeros(n).to(device)\n    x = torch.sum(y, 1)",
]
ELSEWHERE = [
    "x = torch.arange(n)",
    "x = torch.arange(n, device=other)",
    "x = torch.arange(n, device=device)\n    x = torch.zeros(n)",
    "x = torch.arange(n, device=device)\n    device = other",
    "x = torch.zeros(n, device=device).cpu()",
    "x = torch.zeros(n, device=device)\n    x = x.cpu()",
    "y = torch.zeros(n)\n    x = y > torch.mean(y) * 0.1",
    "y = torch.zeros(n, device=device)\n    x = torch.zeros(n) * y.mean()",
    "y = torch.zeros(n, device=device)\n    x = torch.zeros(n) > 0.1",
    "y = torch.zeros(n, device=device).cpu()\n    x = torch.sum(y, 1)",
]


def codes(made: str, move: str = "to(device)") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(made=made, move=move), isolated=True)]


@pytest.mark.parametrize("made", THERE)
def test_what_is_there_is_not_copied(made: str) -> None:
    assert codes(made) == []


@pytest.mark.parametrize("made", ELSEWHERE)
def test_what_is_elsewhere_is(made: str) -> None:
    assert codes(made) == ["LL503"]


def test_the_graphics_card_by_its_name() -> None:
    assert codes("x = torch.zeros(n, device='cuda')", "cuda()") == []
    assert codes("x = torch.zeros(n, device='cpu')", "cuda()") == ["LL503"]
