"""A module is not moved above the call that builds its parts beside the optimizer (LL501)."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import fixed

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
        self.set_up()
        {moved}

    def set_up(self):
        {parts}
        self.optimizer = torch.optim.Adam(self.parameters())

    def fit(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.head(x), y).backward()
            self.optimizer.step()
"""


@pytest.mark.parametrize(
    ("parts", "moved"),
    [
        ("self.encoder = nn.Linear(2, 2)", "self.cuda()"),
        ("self.encoder = nn.Linear(2, 2)", 'self.to("cuda")'),
        ("self.head = nn.Linear(2, 2)", "self.head.cuda()"),
        ("self.head.inner = nn.Linear(2, 2)", "self.head.cuda()"),
    ],
)
def test_what_the_call_builds_is_not_there_above_it(tmp_path: Path, parts: str, moved: str) -> None:
    broken = PROGRAM.format(parts=parts, moved=moved)
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == broken


def test_what_one_of_two_calls_builds_is_not_there_above_them(tmp_path: Path) -> None:
    broken = PROGRAM.format(parts="self.encoder = nn.Linear(2, 2)", moved="self.cuda()")
    broken = broken.replace(
        "        self.set_up()\n", "        if given is None:\n            self.set_up()\n        else:\n            self.load(given)\n"
    )
    broken = broken.replace("(self):\n        super", "(self, given=None):\n        super")
    broken += "\n    def load(self, given):\n        self.set_up()\n        self.load_state_dict(torch.load(given))\n"
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == broken


def test_what_is_there_goes_up(tmp_path: Path) -> None:
    broken = PROGRAM.format(parts="pass", moved="self.cuda()")
    expected = broken.replace("        self.set_up()\n        self.cuda()\n", "        self.cuda()\n        self.set_up()\n")
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == expected
