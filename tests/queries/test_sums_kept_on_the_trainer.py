"""What a method keeps on its object goes backward where the path has put it there, and not where another method has left something else (LL303)."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn

class Strategy:
    def __init__(self, model, optimizer, criterion, plugins):
        self.model = model
        self.optimizer = optimizer
        self.criterion = criterion
        self.plugins = plugins

    def train(self, loader, valid):
        for epoch in range(3):
            self.model.train()
            for self.batch in loader:
                self.optimizer.zero_grad()
                {begin}
                for self.x, self.y in self.batch.values():
                    self.out = self.model(self.x)
                    {add}
                {back}
                self.optimizer.step()
            self.{name}(valid)

    def {name}(self, valid):
        self.model.eval()
        {context}
            for self.x, self.y in valid:
                self.out = self.model(self.x)
                self.loss = self.criterion(self.out, self.y)
                print(self.loss.item())
"""
TRAINED = {"begin": "self.loss = 0", "add": "self.loss += self.criterion(self.out, self.y)", "back": "self.loss.backward()"}
DEFAULTS = {**TRAINED, "name": "eval", "context": "if self.criterion:"}


def _codes(**changes: str) -> set[str]:
    return {f.code for f in looplint.lint(PROGRAM.format(**{**DEFAULTS, **changes}), isolated=True)}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"begin": "self.loss = 0.0", "name": "eval_epoch"},
        {"add": "self.loss = self.loss + self.criterion(self.out, self.y)", "name": "_validate"},
        {"begin": "self.loss = self.criterion(self.model(self.batch), self.batch)", "name": "run_validation"},
        {"add": "if epoch > 1:\n                        self.loss += self.criterion(self.out, self.y)"},
    ],
    ids=["from 0", "from 0.0", "written out", "from another loss", "under a condition"],
)
def test_the_validation_is_none_of_the_sum(changes: dict[str, str]) -> None:
    assert "LL303" in _codes(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"context": "with torch.no_grad():"},
        {"begin": "self.loss = self.loss or 0"},
        {"begin": "pass"},
        {"name": "score"},
        {"name": "attest"},
    ],
    ids=["without gradients", "goes on", "never begun", "scores for whoever asks", "no validation by its name"],
)
def test_what_may_go_backward_is_not_reported(changes: dict[str, str]) -> None:
    assert "LL303" not in _codes(**changes)
