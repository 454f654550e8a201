"""Repairs that hold for every way to come to a place: other callers, other settings."""

from __future__ import annotations

from pathlib import Path

from repaired_text import fixed

SAMPLED = """\
import torch
from torch import nn, optim


def sample(model, noise):
    x = noise
    with torch.no_grad():
        for t in range(10):
            x = x + model(x) / 10
    return x


def train(model, loader):
    opt = optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for step, (x, y) in enumerate(loader):
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
        if step % 10 == 0:
            print(nn.functional.mse_loss(sample(model, torch.randn(4, 8)), torch.zeros(4, 8)).item())


train(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5)), [(torch.randn(4, 8), torch.randn(4, 8)) for _ in range(30)])
"""
OPTIONAL = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--train", action="store_true")
args = parser.parse_args()
model = nn.Linear(8, 2)
if args.train:
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
for x, y in [(torch.randn(4, 8), torch.randint(0, 2, (4,))) for _ in range(5)]:
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    if args.train:
        optimizer.step()
    print(loss.item(), model.weight.grad.norm())
"""


def test_a_model_that_is_handed_in_gets_back_the_mode_it_had(tmp_path: Path) -> None:
    forward = "            x = x + model(x) / 10\n"
    before, after = "            was_training = model.training\n            model.eval()\n", "            model.train(was_training)\n"
    repaired = fixed(tmp_path / "loop.py", SAMPLED.encode()).decode()
    assert repaired == SAMPLED.replace(forward, before + forward + after)
    assert fixed(tmp_path / "loop.py", repaired.encode()).decode() == repaired


def test_an_optimizer_of_one_setting_is_cleared_where_it_steps(tmp_path: Path) -> None:
    repaired = fixed(tmp_path / "loop.py", OPTIONAL.encode()).decode()
    assert repaired == OPTIONAL.replace("        optimizer.step()\n", "        optimizer.step()\n        optimizer.zero_grad()\n")
    assert fixed(tmp_path / "loop.py", repaired.encode()).decode() == repaired
