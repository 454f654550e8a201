"""A call that does not fit, in a branch that is not always taken, loses no loop: what keeps the other paths from being judged is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from looplint.commands.cli import cli

PROGRAM = """\
import torch
from torch import nn


class Decayed(torch.optim.SGD):
    def update(self, factor=None):
        self.param_groups[0]["lr"] /= factor


def report(loader, name):
    print(loader, name)


def criterion(out, y, index, **more):
    return ((out - y) ** 2).mean() * index


def train(loader, epochs, decays, verbose):
    net = nn.Linear(2, 1)
    optimizer = Decayed(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        {branch}
        for x, y, index in loader:
            loss = {loss}
            loss.backward()
            optimizer.zero_grad()
            optimizer.step()
"""
BRANCHES = {
    "a method": "if epoch in decays:\n            optimizer.update(factor=10, other=2)",
    "a function": "if verbose:\n            report(epoch)",
    "in the other branch": "if epoch not in decays:\n            pass\n        else:\n            optimizer.update(other=2)",
    "in a branch of a branch": "if verbose:\n            if epoch in decays:\n                report(epoch)",
}
FITS = "nn.functional.mse_loss(net(x), y)"
MISFIT = "criterion(net(x), y, index_of=index)"


def _checked(folder: Path, branch: str, loss: str) -> str:
    (folder / "train.py").write_text(PROGRAM.format(branch=branch, loss=loss))
    return CliRunner().invoke(cli, ["check", "--no-cache", "--isolated", str(folder)]).output


@pytest.mark.parametrize("branch", BRANCHES.values(), ids=BRANCHES.keys())
def test_the_other_paths_are_judged(tmp_path: Path, branch: str) -> None:
    output = _checked(tmp_path, branch, FITS)
    assert "LL101" in output and "TypeError" not in output


@pytest.mark.parametrize("branch", BRANCHES.values(), ids=BRANCHES.keys())
def test_what_all_paths_come_to_is_named(tmp_path: Path, branch: str) -> None:
    output = _checked(tmp_path, branch, MISFIT)
    assert "`criterion(...)` ends in a TypeError: it is not given `index`" in output


def test_what_no_path_goes_beside_is_named_first(tmp_path: Path) -> None:
    assert "`report(...)` ends in a TypeError: it is not given `name`" in _checked(tmp_path, "report(epoch)", MISFIT)
    both = "if verbose:\n            report(epoch)\n        else:\n            raise ValueError(epoch)"
    assert "`report(...)` ends in a TypeError: it is not given `name`" in _checked(tmp_path, both, FITS)
