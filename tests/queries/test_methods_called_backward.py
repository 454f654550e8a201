"""A method that is called `backward` and only computes the loss makes no training loop of the validation that calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.files import lint_paths
from programs import assert_marked

PROGRAM = """\
import torch
from torch import nn
from library import send


class Losses:
    def __init__(self, net):
        self.net = net

    def backward(self, x, y):
        self.loss = nn.functional.mse_loss(self.net(x), y)
        {inside}
        return self.loss


class Trainer({base}):
    def __init__(self, net):
        super().__init__({given})
        self.net, self.losses = net, Losses(net)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def evaluate(self, loader):
        self.net.eval()
        total = 0.0
        with torch.no_grad():
            for x, y in loader:
                total += {computed}.item()
        self.net.train()
        return total

    def train(self, loader, valid):
        for epoch in range(3):
            for x, y in loader:
                self.optimizer.zero_grad()
                loss = {computed}
                {sent}{expected}
                {stepped}
            print(self.evaluate(valid))


trainer = Trainer(nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1), nn.Linear(2, 1)))
trainer.train([(torch.randn(4, 2), torch.randn(4, 1))] * 3, [(torch.randn(4, 2), torch.randn(4, 1))])
"""
DEFAULTS = {"inside": "pass", "sent": "loss.backward()", "stepped": "self.optimizer.step()", "expected": ""}
FORMS = {
    "inherited": {"base": "Losses", "given": "net", "computed": "self.backward(x, y)"},
    "of what it keeps": {"base": "", "given": "", "computed": "self.losses.backward(x, y)"},
    "under a name": {"base": "", "given": "", "computed": "Losses(self.net).backward(x, y)"},
    "after a helper": {"base": "Losses", "given": "net", "computed": "self.backward(x, y)", "inside": "self.loss = self.loss.clamp(max=9)"},
}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def _coverage(folder: Path, changes: dict[str, str]) -> tuple[int, int]:
    path = folder / "train.py"
    path.write_text(PROGRAM.format(**{**DEFAULTS, **changes}), encoding="utf-8")
    found = lint_paths([str(path)]).coverage
    return len(found.judged), len(found.lost)


@forms
def test_the_training_is_judged_and_the_validation_is_none(form: dict[str, str], tmp_path: Path) -> None:
    assert _coverage(tmp_path, form) == (1, 0)


@forms
def test_the_training_is_followed(form: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**DEFAULTS, **form, "stepped": "pass", "expected": "  # expect: LL106"}))
    assert_marked(PROGRAM.format(**{**DEFAULTS, **form}))


def test_what_may_go_backward_out_of_sight_is_lost_beside_a_step(tmp_path: Path) -> None:
    assert _coverage(tmp_path, {**FORMS["inherited"], "inside": "send(self.loss)", "sent": "pass"}) == (0, 1)
