"""Gradients are unscaled once in a turn, before all clips that can run in it: a second `unscale_` raises an error."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
import torch
from torch import nn


def train(config, model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    scaler = torch.amp.GradScaler()
    for step, (x, y) in enumerate(loader):
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
{clips}        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
"""
UNSCALE = "        scaler.unscale_(optimizer)\n"
ENCODER = "        if config.clip_encoder:\n            nn.utils.clip_grad_norm_(model.encoder.parameters(), 1.0)\n"
HEAD = "        if config.clip_head:\n            nn.utils.clip_grad_norm_(model.head.parameters(), 1.0)\n"
ALL = "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
EITHER = """\
        if config.by_norm:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        else:
            nn.utils.clip_grad_value_(model.parameters(), 1.0)
"""
EITHER_UNSCALED = EITHER.replace("            nn", "            scaler.unscale_(optimizer)\n            nn")


@pytest.mark.parametrize(
    ("clips", "repaired"),
    [
        (ENCODER + HEAD, UNSCALE + ENCODER + HEAD),
        (ENCODER + ALL, UNSCALE + ENCODER + ALL),
        (ALL + HEAD, UNSCALE + ALL + HEAD),
        (ALL + ALL, UNSCALE + ALL + ALL),
        (HEAD, HEAD.replace("            nn", "            scaler.unscale_(optimizer)\n            nn")),
        (EITHER, EITHER_UNSCALED),
    ],
)
def test_one_unscale(tmp_path: Path, clips: str, repaired: str) -> None:
    broken = PROGRAM.format(clips=clips)
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == PROGRAM.format(clips=repaired)


@pytest.mark.parametrize(("clips", "findings"), [(ENCODER + HEAD, 1), (ALL + HEAD + ENCODER, 1), (HEAD, 1), (EITHER, 2)])
def test_clips_that_one_unscale_cures_are_one_finding(clips: str, findings: int) -> None:
    found = [f for f in looplint.lint(PROGRAM.format(clips=clips), isolated=True) if f.code == "LL601"]
    assert len(found) == findings
    assert sum(note.message == "so are those that are clipped here" for note in found[0].related) == clips.count("nn.utils.clip") - findings
