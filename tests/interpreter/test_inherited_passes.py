"""A pass over data that a base class has, and that a subclass completes with what is done for each batch, is followed on an object of the subclass."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import looplint

BASE = """\
from abc import ABC, abstractmethod

import torch
from torch import nn

class Base(ABC):
    def __init__(self, model, optimizer, loader, valid):
        self.model, self.optimizer, self.loader, self.valid = model, optimizer, loader, valid

    def fit(self, epochs: int):
        for epoch in range(epochs):
            self.model.train()
            for batch in self.loader:
                self.training_step(batch)
{called}
    @abstractmethod
    def training_step(self, batch): ...
{decorated}
    def test(self):
        self.model.eval()
        results = []
        {loop}:
            results.append(self.test_step(batch))
        print(sum(results) / len(results))

    {left_open}
"""
SUB = """
class Sub(Base):
    def training_step(self, batch):
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(batch[0]), batch[1]).backward()
        self.optimizer.step()

    def test_step(self, batch):
        return (self.model(batch[0]).argmax(1) == batch[1]).float().mean().item()
"""
LOOP = "for batch in self.valid"


def base(
    *, called: str = "", decorated: str = "", loop: str = LOOP, left_open: str = "def test_step(self, batch): raise NotImplementedError"
) -> str:
    return BASE.format(called=called, decorated=decorated, loop=loop, left_open=left_open)


REPORTED = {
    "what raises": base(),
    "what is abstract": base(left_open="@abstractmethod\n    def test_step(self, batch): ..."),
    "what does nothing": base(left_open="def test_step(self, batch):\n        pass"),
    "what the base has not": base(left_open="NAME = 'test'"),
    "a loop over batches and their numbers": base(loop="for number, batch in enumerate(self.valid)"),
    "a pass that the training calls": base(called="            self.test()\n"),
}
SILENT = {
    "gradients are off": base(decorated="    @torch.no_grad()"),
    "gradients are off in what calls it": base(called="            with torch.no_grad():\n                self.test()\n"),
    "a loop of another kind": base(loop="for batch in [self.example]"),
}


def _lint(folder: Path, program: str, *, in_one: bool) -> list[str]:
    main = folder / "main.py"
    if in_one:
        main.write_text(program + dedent(SUB))
    else:
        (folder / "bases.py").write_text(program)
        main.write_text(f"from torch import nn\nfrom bases import Base\n{dedent(SUB)}")
    return [f.code for f in looplint.lint([str(main)], isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("in_one", [True, False], ids=["in one file", "in two files"])
@pytest.mark.parametrize("program", REPORTED.values(), ids=REPORTED)
def test_a_pass_that_a_subclass_completes_is_judged(tmp_path: Path, program: str, in_one: bool) -> None:
    assert _lint(tmp_path, program, in_one=in_one) == ["LL303"]


@pytest.mark.parametrize("in_one", [True, False], ids=["in one file", "in two files"])
@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT)
def test_a_pass_without_gradients_is_not_reported(tmp_path: Path, program: str, in_one: bool) -> None:
    assert not _lint(tmp_path, program, in_one=in_one)
