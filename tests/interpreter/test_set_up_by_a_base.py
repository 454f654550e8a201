"""A base in another file gives its attributes None at first, and something in a method that nobody calls in sight: their use tells what they then are."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

BASE = """
import torch
from torch import nn

class Base:
    def __init__(self, plans):
        self.plans = plans
        self.network = self.optimizer = self.loss = None
        self.ready = False

    def initialize(self):
        if not self.ready:
            self.network = self.build(self.plans)
            self.optimizer = torch.optim.SGD(self.network.parameters(), 0.1)
            self.loss = self.build_loss()
            self.ready = True
{more}
"""
TRAINER = """
import torch
from base import Base

class Trainer(Base):
    def __init__(self, plans):
        super().__init__(plans)
        self.rate = 0.1

    def train_step(self, batch):
        x, y = batch["data"], batch["target"]
        loss = self.loss(self.network(x), y)
        loss.backward()
        self.optimizer.zero_grad()
        self.optimizer.step()
        return loss.item()
"""
IN_A_LOOP = TRAINER.replace("def train_step(self, batch):", "def fit(self, loader):\n      for batch in loader:").replace(
    "return loss.item()", "print(loss.item())"
)
GUARDED = TRAINER.replace(
    "        x, y =", "        if self.optimizer is None:\n            raise RuntimeError('call initialize() first')\n        x, y ="
)


def _codes(folder: Path, trainer: str, more: str = "") -> set[str]:
    (folder / "base.py").write_text(BASE.format(more=more))
    (folder / "trainer.py").write_text(trainer)
    return {f.code for f in looplint.lint([str(folder / "trainer.py")], isolated=True) if f.severity != "advice"}


@pytest.mark.parametrize("trainer", [TRAINER, IN_A_LOOP, GUARDED])
def test_what_a_base_sets_up_is_known_by_its_use(tmp_path: Path, trainer: str) -> None:
    assert _codes(tmp_path, trainer) == {"LL101"}


@pytest.mark.parametrize("trainer", [TRAINER, IN_A_LOOP, GUARDED])
def test_right_code_is_left_alone(tmp_path: Path, trainer: str) -> None:
    right = trainer.replace("        self.optimizer.zero_grad()\n", "").replace(
        "        loss =", "        self.optimizer.zero_grad()\n        loss ="
    )
    assert _codes(tmp_path, right) == set()


def test_what_a_method_that_is_called_sets_is_what_it_sets(tmp_path: Path) -> None:
    trainer = TRAINER.replace("        self.rate = 0.1", "        self.initialize()")
    more = "    def build(self, plans):\n        return nn.Linear(2, 1)\n\n    def build_loss(self):\n        return nn.MSELoss()\n"
    assert _codes(tmp_path, trainer, more) == {"LL101"}


LEARNERS = """
import torch
from torch import nn

class Base:
    def __init__(self, config, model: nn.Module):
        self.model, self.keys = model, config.keys
        self.optimizer = None
        if config.resume:
            self.resume(config)

    def resume(self, config):
        snapshot = torch.load(config.path, map_location="cpu")
        if self.optimizer is not None:
            self.optimizer.load_state_dict(snapshot["optimizer"])

class Middle(Base):
    def __init__(self, config, model: nn.Module):
        super().__init__(config, model)
        self.build()

    def build(self):
        self.optimizer = {k: {"critic": torch.optim.SGD(self.model.critics[k].parameters(), 0.1)} for k in self.keys}
"""
LEARNER = """
from torch import nn
from base import Middle

class Learner(Middle):
    def __init__(self, config, model: nn.Module):
        super().__init__(config, model)

    def update(self, x, y):
        outputs = self.model(x)
        for k in self.keys:
            loss = nn.functional.mse_loss(outputs[k], y)
            self.optimizer[k]["critic"].zero_grad()
            loss.backward()
"""


def test_what_is_none_while_the_constructor_runs_comes_from_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(LEARNERS)
    (tmp_path / "learner.py").write_text(LEARNER)
    assert {f.code for f in looplint.lint([str(tmp_path / "learner.py")], isolated=True)} == {"LL106"}
