"""Nothing is volatile since torch 0.4: where a program uses what came with that version, the word says nothing of graphs (LL303, LL402)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

TRAIN = """\
import torch
from torch import nn, optim
from torch.autograd import Variable


def train(net: nn.Module, loader, valid, device, testing):
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
        x = Variable(x, volatile={volatile})
        total += nn.functional.mse_loss(net(x), y).cpu().data.numpy()
    print(total)
"""
LATER = {
    "the number in a loss": "print(loss.item())",
    "the number in its data": "print(loss.data.item())",
    "a device": "y = y.to(device)",
    "a device that is made": "print(torch.device('cuda'))",
    "a tensor that is made": "print(torch.tensor([1.0]))",
    "a context": "with torch.set_grad_enabled(True): print(loss)",
}
OLDER = {
    "nothing": "pass",
    "the number in what is no loss": "print(x.item())",
    "another conversion": "y = y.to('cuda')",
    "a word of the other version as well": "print(loss.item(), loss.data[0])",
    "for both, by the version": "print(loss.item() if torch.__version__ > '0.4' else loss)",
    "for both, by what there is": "print(loss.item() if hasattr(loss, 'item') else loss)",
}


@pytest.mark.parametrize("volatile", ["True", "testing"])
@pytest.mark.parametrize("shown", LATER.values(), ids=LATER)
def test_nothing_is_volatile_in_later_versions(shown: str, volatile: str) -> None:
    assert _reported(shown, volatile) == ["LL303"]


@pytest.mark.parametrize("volatile", ["True", "testing"])
@pytest.mark.parametrize("shown", OLDER.values(), ids=OLDER)
def test_what_is_volatile_has_no_graph_where_the_version_is_open(shown: str, volatile: str) -> None:
    assert _reported(shown, volatile) == []


def test_a_target_of_that_time_counts() -> None:
    text = TRAIN.format(shown="print(loss.item())", volatile="True")
    assert [f.code for f in looplint.lint(text, isolated=True, select=["LL303"], target_torch="0.3")] == []


def test_the_repair_is_safe_where_the_version_has_it() -> None:
    text = TRAIN.format(shown="print(loss.item())", volatile="True")
    [found] = looplint.lint(text, isolated=True, select=["LL303"])
    assert found.fix is not None
    assert found.fix.applicability == "safe"


def test_an_imported_file_shows_it_too(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text("import torch\n\n\n@torch.no_grad()\ndef show(loss):\n    print(loss)\n")
    text = TRAIN.format(shown="show(loss)", volatile="True").replace("import torch\n", "import torch\nfrom shown import show\n", 1)
    (tmp_path / "train.py").write_text(text)
    found = looplint.lint([tmp_path / "train.py"], isolated=True, select=["LL303"])
    assert [f.code for f in found] == ["LL303"]


def _reported(shown: str, volatile: str) -> list[str]:
    found = looplint.lint(TRAIN.format(shown=shown, volatile=volatile), isolated=True, select=["LL303", "LL402"])
    return [f.code for f in found]
