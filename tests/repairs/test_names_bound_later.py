"""A repair names an object as it is called where the repair stands: not by a name that the function gives it further down."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import fixed

TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, loader, held_out):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.loader, self.held_out = loader, held_out

    def fit(self, every):
        for step, (x, y) in enumerate(self.loader):
            loss = nn.functional.mse_loss(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % every == 0:
                {named}
                    shown.eval()
                    with torch.no_grad():
                        print(shown(self.held_out).mean().item())
"""


@pytest.mark.parametrize(
    "named",
    ["for shown in [self.model]:", "shown = self.model\n                if shown is not None:", "if (shown := self.model) is not None:"],
)
def test_a_name_that_comes_later_is_not_used(named: str, tmp_path: Path) -> None:
    text = TRAINER.format(named=named)
    after = fixed(tmp_path / "train.py", text.encode()).decode()
    assert "shown.train()" not in after
    assert after == text or after == text.replace("            loss = nn", "            self.model.train()\n            loss = nn")


def test_a_name_that_was_bound_before_is(tmp_path: Path) -> None:
    text = (
        TRAINER.format(named="if every:")
        .replace("        for step", "        shown = self.model\n        for step")
        .replace("self.model(x)", "shown(x)")
    )
    after = fixed(tmp_path / "train.py", text.encode()).decode()
    assert after == text.replace("            loss = nn", "            shown.train()\n            loss = nn")
