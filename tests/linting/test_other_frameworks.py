"""A program of another framework is none of PyTorch's, however much alike they are written; one that only uses another beside torch is."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

BODY = """
def train(net, opt, loader):
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()

net = nn.Linear(2, 1)
train(net, optim.SGD(net.parameters(), lr=0.1), loader)
"""


@pytest.mark.parametrize(
    ("imports", "reported"),
    [
        ("import mindspore\nfrom mindspore import nn\n", False),
        ("import mindspore  # as in torch\nfrom mindspore import nn\n", False),
        ('"""Ported from torch."""\nimport oneflow as flow\nfrom oneflow import nn, optim\n', False),
        ("import paddle\nURL = 'https://example.org/pytorch'\nfrom paddle import nn\n", False),
        ("from tinygrad import nn\nfrom tinygrad.nn import optim  # torch-like\n", False),
        ("import mlx.nn as nn\nwhy = 'faster than torch'\n", False),
        ("import jax, other\ndef is_torch_available(): ...\n", False),
        # Beside torch, another framework logs or reads.
        ("import tensorflow as tf\nfrom torch import nn, optim\n", True),
        ("import jax\nimport torch\nfrom torch import nn, optim\n", True),
        ("import tensorflow as tf\ntry:\n    from torch import nn, optim\nexcept ImportError:\n    pass\n", True),
        ("from torch import nn, optim\n", True),
    ],
)
def test_which_programs_are_of_pytorch(imports: str, reported: bool) -> None:
    found = looplint.lint(imports + BODY, isolated=True)
    assert [f.code for f in found] == (["LL102"] if reported else [])


MAIN = """\
from engine import build

def train(loader):
    net, opt = build()
    for x, y in loader:
        loss = net(x, y)
        loss.backward()
        opt.step()
"""
ENGINE = """\
from {library} import nn, optim

class Net(nn.{base}):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1)

    def forward(self, x, y):
        return ((self.inner(x) - y) ** 2).mean()

def build():
    net = Net()
    return net, optim.SGD(net.parameters(), lr=0.1)
"""


@pytest.mark.parametrize(
    ("library", "base", "reported"), [("torch", "Module", True), ("oneflow", "Module", False), ("paddle", "Layer", False)]
)
def test_a_program_is_of_the_framework_that_it_imports_through_others(tmp_path: Path, library: str, base: str, reported: bool) -> None:
    (tmp_path / "engine.py").write_text(ENGINE.format(library=library, base=base), encoding="utf-8")
    main = tmp_path / "train.py"
    main.write_text(MAIN, encoding="utf-8")
    found = looplint.lint(main, isolated=True)
    assert [f.code for f in found] == (["LL102"] if reported else [])


def test_what_logs_by_another_framework_takes_nothing_from_a_program(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE.format(library="torch", base="Module"), encoding="utf-8")
    (tmp_path / "logs.py").write_text(
        "import tensorflow as tf\n\ndef log(value):\n    tf.summary.scalar('loss', value)\n", encoding="utf-8"
    )
    main = tmp_path / "train.py"
    main.write_text("from logs import log\n" + MAIN.replace("opt.step()", "opt.step()\n        log(1)"), encoding="utf-8")
    assert [f.code for f in looplint.lint(main, isolated=True)] == ["LL102"]
