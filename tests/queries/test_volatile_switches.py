"""Where a program tells by a switch which of its variables are volatile, as torch 0.3 had it, a pass over data leaves no graph (LL303)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

BATCHES = """\
from torch.autograd import Variable


class Batch:
    def __init__(self, images, is_train):
        self.images = images
        self.is_train = is_train

    def reduce(self):
        self.images = Variable(self.images, {switch})
"""
TRAIN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from batches import Batch


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)

    def __getitem__(self, batch):
        batch.reduce()
        return self.body(batch.images)


def collate(rows):
    return Batch(torch.stack(rows), is_train=False)


def main(train: DataLoader, data):
    valid = DataLoader(data, collate_fn=collate)
    net = Detector()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in train:
        opt.zero_grad()
        net[batch].sum().backward()
        opt.step()
    net.eval()
    total = 0.0
    for batch in valid:
        total += net[batch].sum().data
    print(total)
"""
SWITCHES = {
    "by a flag of the batch": "volatile=not self.is_train",
    "by a name": "volatile=VOLATILE",
    "by a call": "volatile=is_evaluating()",
}


@pytest.mark.parametrize("switch", SWITCHES.values(), ids=SWITCHES)
def test_a_switch_tells_what_is_volatile(switch: str, tmp_path: Path) -> None:
    assert _reported(tmp_path, switch) == []


def test_without_a_switch_the_pass_is_reported(tmp_path: Path) -> None:
    assert _reported(tmp_path, "requires_grad=False") == ["LL303"]
    assert _reported(tmp_path, "volatile=False") == ["LL303"]


def _reported(folder: Path, switch: str) -> list[str]:
    (folder / "batches.py").write_text(BATCHES.format(switch=switch), encoding="utf-8")
    path = folder / "train.py"
    path.write_text(TRAIN, encoding="utf-8")
    return [f.code for f in looplint.lint([path], isolated=True) if f.code == "LL303"]
