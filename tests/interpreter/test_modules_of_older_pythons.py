"""An imported file that gives `async` as a keyword, as torch 0.3 did, is read: what it makes volatile leaves no graph."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

DATA = """\
from torch.autograd import Variable


def prepare(batch, test=False):
    inputs, targets = batch
    inputs, targets = inputs.cuda(), targets.cuda(async=True)
    return Variable(inputs, volatile=test), Variable(targets)
"""
TRAIN = """\
import torch
from torch import nn
from data import prepare


def main(net: nn.Module, loader, valid):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in loader:
        x, y = prepare(batch)
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    net.eval()
    total = 0
    for batch in valid:
        x, y = prepare(batch, test=TEST)
        total += nn.functional.cross_entropy(net(x), y)
    print(total)
"""


@pytest.mark.parametrize(("test", "expected"), [("True", []), ("False", ["LL303", "LL402"])])
def test_what_such_a_file_makes_is_known(tmp_path: Path, test: str, expected: list[str]) -> None:
    (tmp_path / "data.py").write_text(DATA)
    (tmp_path / "train.py").write_text(TRAIN.replace("TEST", test))
    found = looplint.lint([tmp_path / "train.py"], isolated=True)
    assert sorted(f.code for f in found if f.severity != "advice") == expected


def test_a_linted_file_of_such_words_is_no_python(tmp_path: Path) -> None:
    (tmp_path / "data.py").write_text(DATA + "\n\nloss.backward()\nopt.step()\n")
    (tmp_path / "train.py").write_text(TRAIN.replace("TEST", "True"))
    with pytest.raises(looplint.UnreadError, match="syntax error"):
        looplint.lint([tmp_path], isolated=True)
