"""LL601 in a function that only finishes an update: it clips, steps through the scaler and updates that, and others go backward."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
import library
import torch
from torch import nn


class Updater:
    def __init__(self, net, limit=None, amp=True):
        self.net = net
        self.limit = limit
        self.opt = OPTIMIZER
        self.scaler = SCALER

    def backward(self, loss):
        BACKWARD

    def step(self):
        BEFORE
        CLIPSTEP
        self.opt.zero_grad()
"""
DEFAULTS = {
    "OPTIMIZER": "torch.optim.SGD(net.parameters(), lr=0.1)",
    "SCALER": 'torch.amp.GradScaler("cuda")',
    "BACKWARD": "self.scaler.scale(loss).backward()",
    "BEFORE": "pass",
    "STEP": "self.scaler.step(self.opt); self.scaler.update()",
}
CLIP = "nn.utils.clip_grad_norm_(self.net.parameters(), 1.0){mark}\n        "
CLIPPED = {
    "with a backward in another method": {},
    "whose loss is scaled for others": {"BACKWARD": "return self.scaler.scale(loss)"},
    "where there is a limit": {
        "CLIP": "if self.limit is not None:\n            nn.utils.clip_grad_norm_(self.net.parameters(), self.limit){mark}\n        "
    },
    "by value": {"CLIP": "nn.utils.clip_grad_value_(self.net.parameters(), 0.5){mark}\n        "},
    "with a scaler under a condition": {"SCALER": "torch.cuda.amp.GradScaler(enabled=amp)"},
    "in the branch of the step": {
        "CLIP": "if self.ready():\n            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0){mark}\n            ",
    },
}
RIGHT = {
    "unscaled before": {"BEFORE": "self.scaler.unscale_(self.opt)"},
    "unscaled in the backward": {"BACKWARD": "self.scaler.scale(loss).backward(); self.scaler.unscale_(self.opt)"},
    "perhaps unscaled before": {"BEFORE": "library.prepare(self.scaler, self.opt)"},
    "unscaled by hand": {"BEFORE": "for p in self.net.parameters():\n            p.grad.div_(self.scaler.get_scale())"},
    "of a loss that is not scaled": {"BACKWARD": "loss.backward()"},
    "with a scaler that does nothing": {"SCALER": 'torch.amp.GradScaler("cuda", enabled=False)'},
    "where the scaler may be none": {
        "SCALER": 'torch.amp.GradScaler("cuda") if amp else None',
        "STEP": "if self.scaler is not None:\n            self.scaler.step(self.opt)\n            self.scaler.update()\n        else:\n            self.opt.step()",
    },
    "of an optimizer that others hand in": {"OPTIMIZER": "net.optimizer"},
    "with a step past the scaler": {"STEP": "self.opt.step()"},
}


def _program(changes: dict[str, str], mark: str) -> str:
    text = PROGRAM
    for name, value in {**DEFAULTS, "CLIP": CLIP, **changes}.items():
        text = text.replace(name, value.replace("{mark}", mark), 1)
    return text


@pytest.mark.parametrize("changes", CLIPPED.values(), ids=CLIPPED)
def test_the_step_behind_a_clip_unscales(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, "  # expect: LL601"))


@pytest.mark.parametrize("changes", RIGHT.values(), ids=RIGHT)
def test_others_may_unscale_before(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, ""))
