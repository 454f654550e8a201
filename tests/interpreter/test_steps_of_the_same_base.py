"""A loop of a base that calls a step of the same base is followed on objects of a subclass in another file, which says what the step does."""

from pathlib import Path
from textwrap import indent

import pytest

import looplint

BASE = """
import torch
from torch import nn

class Experiment:
    def __init__(self, cfg, rank=0):
        self.cfg, self.rank = cfg, rank

    def init_model(self):
        self.model = build(self.cfg.model)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=self.cfg.lr)

    def train(self):
        iterator = iter(self.train_loader)
{loop}

    def update(self, batch):
        loss = self.compute_loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def validate(self):
        with torch.no_grad():
            for batch in self.valid_loader:
                print(self.compute_loss(batch).item())

    def compute_loss(self, batch):
        return nn.functional.mse_loss(self.model(batch[0]), batch[1])
"""
MIDDLE = """
from experiment import Experiment

class Tagging(Experiment):
    def validate(self):
        self.evaluate(self.valid_loader)

    def compute_loss(self, batch):
        predicted, label = self.predict(batch)
        return self.loss(predicted, label)
"""
OWN = """
import torch
from torch import nn
from tagging import Tagging

class Jets(Tagging):
    def __init__(self, cfg, rank=0):
        super().__init__(cfg, rank)
        self.names = list(cfg.names)

    def evaluate(self, loader):
        predicted = []
        self.model.eval()
{evaluation}
        print(torch.cat(predicted).softmax(1).numpy())

    def predict(self, batch):
        return self.model(batch[0].float()), batch[1]
"""
LOOPS = {
    "in a loop over iterations": "for step in range(self.cfg.iterations):\n    self.model.train()\n    self.update(next(iterator))\n    self.validate()",
    "in a loop over batches": "for epoch in range(5):\n    self.model.train()\n    for batch in self.train_loader:\n        self.update(batch)\n    self.validate()",
    "in a loop with a condition": "step = 0\nwhile step < self.cfg.iterations:\n    self.model.train()\n    self.update(next(iterator))\n    step += 1\n    if step % 100 == 0:\n        self.validate()",
    "whose loss it returns": "for epoch in range(5):\n    self.model.train()\n    total = sum(self.update(b) or 0 for b in self.train_loader)\n    for batch in self.train_loader:\n        total = self.update(batch)\n    self.validate()",
}
PASS = "for batch in loader:\n    predicted.append(self.predict(batch)[0].cpu())"
MARKS = {"with gradients": PASS, "without": f"with torch.no_grad():\n{indent(PASS, '    ')}"}


@pytest.mark.parametrize(("evaluation", "codes"), [(MARKS["with gradients"], ["LL303"]), (MARKS["without"], [])], ids=MARKS)
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_of_a_subclass_with_a_constructor(tmp_path: Path, loop: str, evaluation: str, codes: list[str]) -> None:
    (tmp_path / "experiment.py").write_text(BASE.format(loop=indent(loop, " " * 8)))
    (tmp_path / "tagging.py").write_text(MIDDLE)
    own = tmp_path / "jets.py"
    own.write_text(OWN.format(evaluation=indent(evaluation, " " * 8)))
    assert [f.code for f in looplint.lint(own, isolated=True)] == codes
