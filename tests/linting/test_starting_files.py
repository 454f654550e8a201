"""A file that only starts a program is analysed with it: what it hands over is what the program runs on."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from looplint.linting.launchers import launchers
from looplint.sources.reading import decode

TASK = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = LAYER

    def forward(self, x):
        return self.head(x)


def train(net, data, epochs):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for _ in range(epochs):
        for x, y in data:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
    return test(net, data)


def test(net, data):
    with torch.no_grad():
        return sum(nn.functional.mse_loss(net(x), y).item() for x, y in data) / len(data)
"""
LAUNCHERS = {
    "names": "from task import Net, train\n\ntrain(Net(), read(), 3)\n",
    "a module": "import task\n\ntask.train(task.Net(), read(), 3)\n",
    "another name": "import task as t\n\n\ndef main():\n    t.train(t.Net(), read(), 3)\n",
    "a name that is set later": "from task import Net, train\n\nnet = None\n\n\nclass Client:\n    def fit(self):\n        train(net, read(), 1)\n\n\n"
    "def make():\n    global net\n    net = Net()\n",
}


def found(folder: Path, launcher: str, layer: str) -> list[str]:
    folder.joinpath("task.py").write_text(TASK.replace("LAYER", layer), encoding="utf-8")
    folder.joinpath("run.py").write_text(launcher, encoding="utf-8")
    return [f.code for f in looplint.lint([str(folder)], isolated=True)]


@pytest.mark.parametrize("launcher", LAUNCHERS.values(), ids=LAUNCHERS)
def test_the_model_that_it_builds_is_the_one_that_is_judged(tmp_path: Path, launcher: str) -> None:
    assert found(tmp_path, launcher, "nn.Linear(8, 1)") == []
    assert found(tmp_path, launcher, "nn.Sequential(nn.Dropout(0.5), nn.Linear(8, 1))") == ["LL302"]


@pytest.mark.parametrize("text", ["from task import Net\n\nprint(Net())\n", "from other import train\n\ntrain(3)\n", "train(3)\n"])
def test_a_file_that_calls_nothing_of_it_is_left_out(text: str) -> None:
    task, other = (decode(each.encode(), Path(name), name) for each, name in ((TASK, "task.py"), (text, "other.py")))
    assert list(launchers([task], [other])) == []
