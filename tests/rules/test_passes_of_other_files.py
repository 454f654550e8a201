"""LL302 and LL303 name the pass over the data, where what they report is in another file than its loop."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

TRAINER = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))

    def forward(self, x):
        return self.layers(x)


class Trainer:
    def __init__(self):
        self.net = Net()
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def update(self, x, y):
        self.net.train()
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.net(x), y).backward()
        self.optimizer.step()

    def predict(self, x):
        SWITCH
        return self.net(x).argmax(1).tolist()
"""
MAIN = """\
import torch
from data import loader, valid
from trainer import Trainer


def main():
    trainer = Trainer()
    for epoch in range(9):
        for x, y in loader:
            trainer.update(x, y)
        hits = 0
        with GRADIENTS:
            for x, y in valid:  # the pass
                hits += sum(a == b for a, b in zip(trainer.predict(x), y.tolist()))
        print(hits)


main()
"""
ROW = MAIN[: MAIN.index("# the pass")].count("\n") + 1


def notes(folder: Path, trainer: str, main: str) -> list[tuple[str, str, list[int]]]:
    """The findings of the rules with their files, and the rows of their notes on the pass."""
    (folder / "trainer.py").write_text(trainer)
    (folder / "main.py").write_text(main)
    found = [f for f in looplint.lint(folder / "main.py", isolated=True) if f.code in ("LL302", "LL303")]
    return [(f.code, Path(f.filename).name, [r.location.row for r in f.related if "the pass over the data" in r.message]) for f in found]


@pytest.mark.parametrize(
    ("code", "switch", "gradients"), [("LL302", "", "torch.no_grad()"), ("LL303", "self.net.eval()", "contextlib.nullcontext()")]
)
def test_the_loop_is_named_where_it_is_in_another_file(tmp_path: Path, code: str, switch: str, gradients: str) -> None:
    trainer, main = TRAINER.replace("SWITCH", switch or "pass"), MAIN.replace("GRADIENTS", gradients)
    assert notes(tmp_path, trainer, main.replace("import torch\n", "import contextlib, torch\n")) == [(code, "trainer.py", [ROW])]


def test_a_loop_of_the_same_file_is_not_named(tmp_path: Path) -> None:
    text = TRAINER.replace("SWITCH", "pass") + MAIN.replace("from trainer import Trainer\n", "").replace("GRADIENTS", "torch.no_grad()")
    assert notes(tmp_path, "", text) == [("LL302", "main.py", [])]
