"""A line with nothing but a name that nothing binds ends the run there, as authors do who look at something half-way: what follows is never run."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
IMPORT

net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
net.eval()
total = 0
for x, y in valid:
    LINE
    total += nn.functional.mse_loss(net(x), y).item()
print(total)
"""


def found(tmp_path: Path, line: str, imported: str = "") -> list[str]:
    (tmp_path / "helpers.py").write_text("names = ['a']\n", encoding="utf-8")
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.replace("LINE", line).replace("IMPORT", imported), encoding="utf-8")
    return [f.code for f in looplint.lint(script, isolated=True) if f.code == "LL303"]


@pytest.mark.parametrize(
    ("line", "imported"),
    [
        ("stop", ""),
        ("if len(x) < 9: continue\n    stop", ""),
        ("asdf", "from helpers import *"),
        ("exit()", ""),
    ],
)
def test_nothing_follows(tmp_path: Path, line: str, imported: str) -> None:
    assert found(tmp_path, line, imported) == []


@pytest.mark.parametrize(
    ("line", "imported"),
    [
        ("pass", ""),
        ("total", ""),
        ("names", "from helpers import *"),
        ("stop", "from somewhere import *"),
        ("exit", ""),
        ("later", "def f():\n    global later\n    later = 3"),
        ("if len(x) > 90: stop", ""),
        ("try:\n        stop\n    except NameError:\n        pass", ""),
        ("lambda: stop", ""),
        ("print", ""),
    ],
)
def test_the_pass_goes_on(tmp_path: Path, line: str, imported: str) -> None:
    assert found(tmp_path, line, imported) == ["LL303"]
