"""Turns of any loop in which a model in eval mode is applied and its results are measured need no graph: samples that are drawn, steps that are counted."""

from __future__ import annotations

import pytest

import looplint

SCRIPT = """\
import numpy as np
import torch
from torch import nn
from tqdm import tqdm


def sample(net: nn.Module, count: int, size: int):
    {mode}
    found = []
    {head}
        {prepare}
        {measure}
    return found


print(sample(nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1)), 3, 8))
"""
IMAGES = "images = net(torch.randn(size, 3)).mul(255).to('cpu', torch.uint8); found.extend(images.numpy())"


def codes(mode: str, head: str, measure: str, prepare: str = "pass") -> list[str]:
    text = SCRIPT.format(mode=mode, head=head, measure=measure, prepare=prepare)
    return [f.code for f in looplint.lint(text, isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize(
    ("head", "measure"),
    [
        ("for number in tqdm(range(count)):", IMAGES),
        ("while len(found) < count:", IMAGES),
        ("for number in range(count):", "found.append(net(torch.randn(size, 3)).sum().item())"),
    ],
)
def test_gradients_are_on_for_nothing(head: str, measure: str) -> None:
    assert codes("net.eval()", head, measure) == ["LL303"]


@pytest.mark.parametrize(
    ("mode", "head", "measure", "prepare"),
    [
        ("pass", "for number in range(count):", IMAGES, "pass"),
        ("net.eval(); torch.set_grad_enabled(False)", "for number in range(count):", IMAGES, "pass"),
        ("net.eval()", "for name, size in {'a': 3, 'b': 4}.items():", IMAGES, "pass"),
        (
            "net.eval()",
            "for number in range(count):",
            "(x,) = torch.autograd.grad(net(x).sum(), x); found.append(x.sum().item())",
            "x = torch.randn(size, 3, requires_grad=True)",
        ),
    ],
)
def test_others_are_left_alone(mode: str, head: str, measure: str, prepare: str) -> None:
    assert codes(mode, head, measure, prepare) == []
