"""A training loop that a base class in another file has, and that a subclass completes, is followed on an object of the subclass."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import looplint

BASE = """\
from abc import ABC, abstractmethod

import torch
from torch import nn

class Trainer(ABC):
    def __init__(self, loader, limit: float = 1.0):
        self.loader, self.limit = loader, limit
        self.optimizer = None

    @abstractmethod
    def clip(self): ...

    def compute_loss(self, batch):
        raise NotImplementedError

    def fit(self, epochs: int):
        for epoch in range(epochs):
            for batch in self.loader:
                loss = self.compute_loss(batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.clip()
"""
LOSS = """
    def compute_loss(self, batch):
        return nn.functional.mse_loss(self.net(batch[0]), batch[1])
    def clip(self):
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.limit)
"""
SUBCLASSES = {
    "a method sets the object up": """
        class Mine(Trainer):
            def setup(self):
                self.net = nn.Linear(2, 2)
                self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        """,
    "the constructor gives the model": """
        class Mine(Trainer):
            def __init__(self, net: nn.Module, loader):
                super().__init__(loader)
                self.net = net
                self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        """,
    "there is a class between them": """
        class Middle(Trainer):
            def setup(self, net: nn.Module):
                self.net = net
                self.optimizer = torch.optim.AdamW(net.parameters())
        class Mine(Middle):
            name = "mine"
        """,
}


def found(folder: Path, subclass: str, base: str = BASE) -> list[tuple[str, str]]:
    (folder / "trainer.py").write_text(base)
    head = "import torch\nfrom torch import nn\nfrom trainer import Trainer\n"
    (folder / "mine.py").write_text(head + dedent(subclass).rstrip() + LOSS)
    return [(Path(f.filename).name, f.code) for f in looplint.lint([str(folder / "mine.py")], isolated=True)]


@pytest.mark.parametrize("subclass", SUBCLASSES.values(), ids=SUBCLASSES.keys())
def test_the_loop_of_the_base_is_judged(tmp_path: Path, subclass: str) -> None:
    assert found(tmp_path, subclass) == [("mine.py", "LL104")]


@pytest.mark.parametrize("subclass", SUBCLASSES.values(), ids=SUBCLASSES.keys())
def test_what_is_right_stays_right(tmp_path: Path, subclass: str) -> None:
    step, clip = "                self.optimizer.step()\n", "                self.clip()\n"
    assert found(tmp_path, subclass, BASE.replace(step + clip, clip + step)) == []


def test_a_loop_that_the_subclass_replaces_is_not_followed(tmp_path: Path) -> None:
    subclass = SUBCLASSES["a method sets the object up"].rstrip() + "\n            def fit(self, epochs):\n                pass\n"
    assert found(tmp_path, subclass) == []


STEPS = {
    "the base trains": ("", "Trainer"),
    "the subclass has a constructor": (
        "    def __init__(self, net, loader):\n        super().__init__(net, loader)\n        self.count = 0\n",
        "Trainer",
    ),
    "a class between them has the step": ("", "Middle"),
}
LOOP = """\
import torch
from torch import nn

class Trainer:
    def __init__(self, net: nn.Module, loader):
        self.net, self.loader = net, loader
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, 30)
    def training_step(self, batch):
        raise NotImplementedError
    def fit(self, epochs: int):
        for epoch in range(epochs):
            self.net.train()
            total = 0.0
            for batch in self.loader:
                total += self.training_step(batch)
            print(total)
            self.schedule.step()
"""
STEP = """\
    def training_step(self, batch):
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss
"""


def steps(folder: Path, case: str, apart: bool, step: str = STEP) -> list[tuple[str, str]]:
    """What is found in a file whose class has the step, of a base (in a file of its own, where it is apart) that calls it in a loop."""
    own, name = STEPS[case]
    parts = (
        f"class Middle(Trainer):\n{step}class Mine(Middle):\n    name = 'mine'\n"
        if name == "Middle"
        else f"class Mine(Trainer):\n{own}{step}"
    )
    (folder / "trainer.py").write_text(LOOP)
    head = "import torch\nfrom torch import nn\nfrom trainer import Trainer\n" if apart else LOOP
    (folder / "mine.py").write_text(head + parts)
    return [(Path(f.filename).name, f.code) for f in looplint.lint([str(folder / "mine.py")], isolated=True, min_severity="warning")]


@pytest.mark.parametrize("case", STEPS)
def test_a_loop_of_the_base_around_a_step_of_the_subclass_is_judged(tmp_path: Path, case: str) -> None:
    assert steps(tmp_path, case, apart=False) == [("mine.py", "LL402")]
    assert steps(tmp_path, case, apart=False, step=STEP.replace("return loss", "return loss.item()")) == []


@pytest.mark.parametrize("case", STEPS)
def test_a_base_in_another_file_has_the_loop_around_the_step(tmp_path: Path, case: str) -> None:
    assert steps(tmp_path, case, apart=True) == [("trainer.py", "LL402")]
    assert steps(tmp_path, case, apart=True, step=STEP.replace("return loss", "return loss.item()")) == []
