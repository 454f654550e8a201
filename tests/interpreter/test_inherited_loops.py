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
