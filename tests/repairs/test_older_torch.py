"""Gradients are not switched off safely by what the torch does not have that a program is written for."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

TEXT = """\
import torch
from torch import nn, optim
from torch.autograd import Variable


def train(net, loader, valid, rates, weights):
    opt = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(Variable(x)), Variable(y))
        loss.backward()
        opt.step()
        {shown}
    net.eval()
    total = 0.0
    for x, y in valid:
        total += nn.functional.mse_loss(net(x), y).cpu().data.numpy()
    print(total)
"""
OLDER = {
    "the number in a loss": "print(loss.data[0])",
    "the number in a loss, formatted": "print('{:.3f}'.format(loss.data[0]))",
    "the number in what goes backward": "energy = net(x).sum(); energy.backward(); print(energy.data[0])",
    "a volatile variable": "target = Variable(y, volatile=True)",
    "a sample without a number": "print(torch.multinomial(y))",
    "a layer's own function": "print(net._backend.Linear.apply(x, x))",
}
TODAY = {
    "nothing": "pass",
    "a variable alone": "target = Variable(y)",
    "the first row of weights": "print(weights.data[0])",
    "a variable that is not volatile": "target = Variable(y, volatile=False)",
    "one sample": "print(torch.multinomial(y, 1))",
}


def _repair(shown: str, target: str | None = None) -> str:
    found = looplint.lint(TEXT.format(shown=shown), isolated=True, select=["LL303"], target_torch=target)
    assert len(found) == 1
    assert found[0].fix is not None
    return found[0].fix.applicability


@pytest.mark.parametrize("shown", OLDER.values(), ids=OLDER)
def test_it_is_not_safe(shown: str) -> None:
    assert _repair(shown) == "unsafe"


@pytest.mark.parametrize("shown", TODAY.values(), ids=TODAY)
def test_it_is_safe(shown: str) -> None:
    assert _repair(shown) == "safe"


def test_it_is_not_safe_for_a_program_that_has_to_run_on_an_older_one() -> None:
    assert _repair("pass", target="0.3") == "unsafe"


@pytest.mark.parametrize(("shown", "applicability"), [(OLDER["the number in a loss"], "unsafe"), (TODAY["nothing"], "safe")])
@pytest.mark.parametrize("imports", ["from steps import *", "from others import *", "import steps\nfirst = steps.train"])
def test_a_file_that_it_imports_is_written_for_one(tmp_path: Path, imports: str, shown: str, applicability: str) -> None:
    (tmp_path / "steps.py").write_text(TEXT.format(shown=shown).partition("    net.eval()")[0])
    (tmp_path / "others.py").write_text("from steps import *\n")
    (tmp_path / "main.py").write_text(f"{imports}\n{TEXT.format(shown='pass')}")
    (found,) = looplint.lint(tmp_path / "main.py", isolated=True, select=["LL303"])
    assert found.fix is not None and found.fix.applicability == applicability
