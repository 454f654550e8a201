"""A file of models that nothing in it trains is judged where a model's own forward computes its loss."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

TRAIN = """\
import torch
from net import Tagger

model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
model.train()
for x, y in loader:
    optimizer.zero_grad()
    loss = model(x, labels=y)
    loss.backward()
    optimizer.step()
"""
NET = """\
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.classifier = nn.Linear(768, 7)
        self.score = LOSS

    def forward(self, x, labels=None):
        logits = self.classifier(x)
        return SCORE if labels is not None else logits
"""
FORMS = {
    "a function": ("None", "F.cross_entropy(F.softmax(logits, dim=1), labels)", ["LL701"]),
    "a module": ("nn.CrossEntropyLoss(ignore_index=0)", "self.score(logits.softmax(1), labels)", ["LL701"]),
    "a binary one": ("nn.BCEWithLogitsLoss()", "self.score(logits.sigmoid(), labels)", ["LL702"]),
    "logits": ("nn.CrossEntropyLoss()", "self.score(logits, labels)", []),
    "logits beside a softmax": ("nn.CrossEntropyLoss()", "(self.score(logits, labels), logits.softmax(1))", []),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_loss_of_a_model_is_judged_in_its_file(tmp_path: Path, form: str) -> None:
    loss, score, codes = FORMS[form]
    tmp_path.joinpath("train.py").write_text(TRAIN, encoding="utf-8")
    tmp_path.joinpath("net.py").write_text(NET.replace("LOSS", loss).replace("SCORE", score), encoding="utf-8")
    assert [f.code for f in looplint.lint([str(tmp_path)], isolated=True)] == codes
