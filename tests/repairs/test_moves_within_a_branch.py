"""What stands in one branch of the step's condition is moved to the step of that branch: the other one steps in its own way."""

from __future__ import annotations

from pathlib import Path

from repaired_text import fixed

PROGRAM = """\
import torch
from torch import nn


def train(config, model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    scaler = torch.amp.GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        if config.amp:
            with torch.autocast("cuda", dtype=torch.float16):
                loss = nn.functional.mse_loss(model(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        else:
            loss = nn.functional.mse_loss(model(x), y)
{}            optimizer.step()
"""
CLIP = "            nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
BACKWARD = "            loss.backward()\n"


def test_a_clip_stays_in_its_branch(tmp_path: Path) -> None:
    wrong, right = PROGRAM.format(CLIP + BACKWARD), PROGRAM.format(BACKWARD + CLIP)
    assert fixed(tmp_path / "loop.py", wrong.encode()).decode() == right


def test_a_clip_before_both_goes_before_both_steps(tmp_path: Path) -> None:
    """No branch is its own: the clip goes to where both begin, as far as the backward lets it, and nothing is written that does not hold."""
    wrong = PROGRAM.format(BACKWARD).replace(
        "        if config.amp:", "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        if config.amp:"
    )
    assert fixed(tmp_path / "loop.py", wrong.encode()).decode() == wrong
