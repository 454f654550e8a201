"""A model is not moved to a device above an import, which may be what makes the device known: the optimizer is built below instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import fixed

SCRIPT = """\
import torch
from torch import nn, optim

net = nn.Linear(2, 2)
{above}
net.to("xpu")
{below}for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
"""
BUILT = "opt = optim.Adam(net.parameters())\n"


@pytest.mark.parametrize("between", ["import intel_extension_for_pytorch as ipex\n", "from torch_npu.contrib import transfer_to_npu\n"])
def test_what_takes_the_parameters_goes_down_past_an_import(tmp_path: Path, between: str) -> None:
    broken = SCRIPT.format(above=f"{BUILT}{between}", below="")
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == SCRIPT.format(above=between, below=BUILT)


def test_the_move_goes_up_past_other_statements(tmp_path: Path) -> None:
    broken = SCRIPT.format(above=f"{BUILT}loader = []\n", below="")
    moved = SCRIPT.format(above="@", below="").replace('@\nnet.to("xpu")\n', f'net.to("xpu")\n{BUILT}loader = []\n\n')
    assert fixed(tmp_path / "train.py", broken.encode()).decode() == moved
