"""A file without a loop, which is changed for what is found from another, is not judged by itself: what stands in it besides was not reported before."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.fixing import fix_paths

NET = """\
class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = {layers}

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
PLAIN, REGISTERED = "[nn.Linear(2, 2) for _ in range(2)]", "nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])"
TRAIN = """\
import torch
from torch import nn

from parts import Net

net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader(data, shuffle=True):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
"""


@pytest.mark.parametrize(
    "besides",
    [
        NET.format(name="Net", layers=PLAIN) + "\n\n",  # the class of this name that is not in use
        NET.format(name="Other", layers=PLAIN) + "\n\n",
        "",
    ],
)
def test_what_is_found_from_elsewhere_is_repaired(tmp_path: Path, besides: str) -> None:
    head = "from torch import nn\n\n\n" + besides
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "parts.py").write_text(head + NET.format(name="Net", layers=PLAIN))
    result = fix_paths([str(tmp_path)], jobs=1)
    ((_, new),) = result.changed
    assert new.text == head + NET.format(name="Net", layers=REGISTERED)


def test_a_file_named_with_the_other_is_repaired_as_a_whole(tmp_path: Path) -> None:
    head = "from torch import nn\n\n\n" + NET.format(name="Net", layers=PLAIN) + "\n\n"
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "parts.py").write_text(head + NET.format(name="Net", layers=PLAIN))
    result = fix_paths([str(tmp_path / "parts.py"), str(tmp_path / "train.py")], jobs=1)
    ((_, new),) = result.changed
    assert new.text == (head + NET.format(name="Net", layers=PLAIN)).replace(PLAIN, REGISTERED)
