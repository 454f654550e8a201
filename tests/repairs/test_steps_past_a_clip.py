"""A step that goes through the scaler needs an `unscale_` before the clips of its gradients: of scaled ones the limit leaves next to nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
import torch
from torch import nn


def clip(net):
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)


def train(config, loader):
    model = nn.Linear(4, 4)
    other = nn.Linear(4, 4)
    optimizer = torch.optim.AdamW(model.parameters())
    second = torch.optim.AdamW(other.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
{steps}"""
NORM = "        nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
HELPER = "        clip(model)\n"
MAYBE = "        if config.clip:\n            nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
EITHER = MAYBE + "        else:\n            nn.utils.clip_grad_value_(model.parameters(), 1.0)\n"
STEP = "        optimizer.step()\n"
THROUGH = "        scaler.step(optimizer)\n        scaler.update()\n"
UNSCALE = "        scaler.unscale_(optimizer)\n"
OTHER = "        nn.utils.clip_grad_norm_(other.parameters(), 1.0)\n"


@pytest.mark.parametrize(
    ("steps", "repaired"),
    [
        (STEP, THROUGH),
        (NORM + STEP, UNSCALE + NORM + THROUGH),
        (HELPER + STEP, UNSCALE + HELPER + THROUGH),
        (MAYBE + STEP, MAYBE.replace("            nn", f"    {UNSCALE}            nn") + THROUGH),
        (EITHER + STEP, EITHER.replace("            nn", f"    {UNSCALE}            nn") + THROUGH),
        (NORM + NORM + STEP, UNSCALE + NORM + NORM + THROUGH),
        (NORM + UNSCALE + STEP, UNSCALE + NORM + THROUGH),
        # Gradients that are unscaled already, and those of another optimizer.
        (UNSCALE + NORM + STEP, UNSCALE + NORM + THROUGH),
        (OTHER + STEP, OTHER + THROUGH),
    ],
)
def test_gradients_are_unscaled_before_the_clip(tmp_path: Path, steps: str, repaired: str) -> None:
    text = fixed(tmp_path / "train.py", PROGRAM.format(steps=steps).encode()).decode()
    assert text == PROGRAM.format(steps=repaired)
    assert not [f for f in looplint.lint(text, isolated=True) if f.code in ("LL601", "LL604")]


@pytest.mark.parametrize(
    "steps",
    [
        # A second `unscale_` before the update raises an error.
        NORM + "        if i % 4 == 3:\n            optimizer.step()\n",
        # So it does in a loop of its own.
        "        for part in model.children():\n            nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n" + STEP,
    ],
)
def test_no_safe_repair_where_the_clip_would_keep_scaled_gradients(steps: str) -> None:
    found = [f for f in looplint.lint(PROGRAM.format(steps=steps), isolated=True) if f.code == "LL604"]
    assert found
    assert not any(f.fix is not None and f.fix.applicability == "safe" for f in found)


@pytest.mark.parametrize("clip", ["nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)", "self.model.clip_grad_norm_(max_norm=1.0)"])
@pytest.mark.parametrize("built", ["torch.optim.AdamW(self.model.parameters())", "build_optimizer(self.model)"])
def test_attributes_of_self(tmp_path: Path, built: str, clip: str) -> None:
    broken = f"""\
import torch
from torch import nn
from building import build_model, build_optimizer


class Worker:
    def __init__(self, config):
        self.model = build_model(config)
        self.optimizer = {built}
        self.grad_scaler = torch.amp.GradScaler("cuda")

    def update(self, batches):
        self.optimizer.zero_grad()
        for batch in batches:
            with torch.autocast("cuda", dtype=torch.float16):
                loss = self.model(batch).mean() / len(batches)
            self.grad_scaler.scale(loss).backward()
        norm = {clip}
        self.optimizer.step()
        return norm
"""
    repaired = broken.replace("        norm =", "        self.grad_scaler.unscale_(self.optimizer)\n        norm =").replace(
        "        self.optimizer.step()\n", "        self.grad_scaler.step(self.optimizer)\n        self.grad_scaler.update()\n"
    )
    assert fixed(tmp_path / "worker.py", broken.encode()).decode() == repaired


def test_steps_in_two_functions(tmp_path: Path) -> None:
    broken = """\
import torch
from torch import nn

model = nn.Linear(4, 4)
optimizer = torch.optim.AdamW(model.parameters())
scaler = torch.amp.GradScaler("cuda")


def first(batches):
    for batch in batches:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(batch).mean()
        scaler.scale(loss).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scaler.update()


def second(batches):
    optimizer.zero_grad()
    for batch in batches:
        with torch.autocast("cuda", dtype=torch.float16):
            loss = model(batch).mean()
        scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scaler.update()


def main(batches, whole):
    for epoch in range(10):
        if whole:
            second(batches)
        else:
            first(batches)
"""
    repaired = fixed(tmp_path / "worker.py", broken.encode()).decode()
    unscaled = re.sub(r"^( +)(?=nn.utils)", r"\1scaler.unscale_(optimizer)\n\1", broken, flags=re.MULTILINE)
    assert repaired == unscaled.replace("optimizer.step()", "scaler.step(optimizer)")
