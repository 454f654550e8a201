"""LL304 says until when eval mode is on: to the end of the epoch only where each epoch begins in train mode."""

from __future__ import annotations

import pytest

import looplint

HEAD = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def evaluate(x):
    net.eval()
    with torch.no_grad():
        print(net(x).mean().item())


"""
STEP = """\
opt.zero_grad()
loss = nn.functional.mse_loss(net(x), y)
loss.backward()
opt.step()
if step % 100 == 99:
    evaluate(x)
"""


def inside(loops: str, depth: int) -> str:
    return HEAD + loops + "".join(f"{'    ' * depth}{line}\n" for line in STEP.splitlines())


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (inside("for epoch in range(3):\n    net.train()\n    for step, (x, y) in enumerate(loader):\n", 2), "to the end of the epoch, as nothing in this loop"),
        (inside("net.train()\nfor step in range(1000):\n    x, y = batch()\n", 1), "to the end of this loop, as nothing in it"),
        (inside("for epoch in range(3):\n    for step, (x, y) in enumerate(loader):\n", 2), "to the end of this loop, as nothing in it"),
    ],
)  # fmt: skip
def test_until_when(program: str, said: str) -> None:
    (message,) = [f.message for f in looplint.lint(program, isolated=True) if f.code == "LL304"]
    assert f"net is still in eval mode here after a validation, {said} calls net.train() again" in message
