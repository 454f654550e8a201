"""An attribute that a class only wraps, `self.model = DataParallel(self.model)`, is still left open by it where its constructor sets None."""

from __future__ import annotations

import pytest

import looplint

TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, loader, parallel):
        self.model = None
        self.optimizer = None
        self.loader = loader
        self.parallel = parallel

    def train(self, epochs):
        if self.parallel and self.model is not None:
            WRAP
        for epoch in range(epochs):
            for batch in self.loader:
                if self.model is not None:
                    for param in self.model.parameters():
                        param.grad = None
                loss = self.training_step(batch)
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 12)
                self.optimizer.step()

    def training_step(self, batch):
        raise NotImplementedError
"""
WRAPS = {
    "itself": "self.model = nn.DataParallel(self.model)",
    "itself, by steps": "self.model = nn.SyncBatchNorm.convert_sync_batchnorm(self.model); self.model = nn.DataParallel(self.model, [0])",
    "itself, by a method": "self.model = self.model.cuda()",
    "nothing": "print(self.model)",
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_what_subclasses_set_is_a_model(wrap: str) -> None:
    assert looplint.lint(TRAINER.replace("WRAP", wrap), isolated=True) == []


def test_without_the_clear_it_is_reported() -> None:
    text = TRAINER.replace("WRAP", WRAPS["itself"]).replace("param.grad = None", "print(param)")
    assert [f.code for f in looplint.lint(text, isolated=True)] == ["LL102"]
