"""What a prediction came out of, as the loss is told: through names, calls, containers, forwards and frameworks."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.catalogue import load
from looplint.linting.files import analyse
from looplint.sources.reading import read_source

RULES = [r for r in load() if r.code in ("LL701", "LL702", "LL703")]
HEAD = """\
from collections import OrderedDict
import pytorch_lightning as pl
import torch
import torch.nn.functional as F
from torch import nn
from torchvision import models


class Dice(nn.Module):
    def forward(self, x, y):
        x = x.softmax(1)
        return 1 - 2 * (x * y).sum() / (x + y).sum()


class Net(nn.Module):
    def __init__(self, last=None):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 2)])
        self.act = last or nn.Identity()

    def head(self, x):
        return torch.softmax(self.layers[-1](x), dim=-1)

    def forward(self, x, probabilities=False):
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return (x, self.head(x)) if probabilities else self.layers[-1](x)


def train(loader, flag):
    optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1)
    criterion = nn.CrossEntropyLoss()
    bce = nn.BCELoss()
    logits_loss = nn.BCEWithLogitsLoss()
    net = Net()
"""
LOOP = """
    for x, y in loader:
        optimizer.zero_grad()
        {}
        loss.backward()
        optimizer.step()
"""

FOUND = {
    "the other one of two losses": (
        "criterion = nn.CrossEntropyLoss() if flag else nn.BCEWithLogitsLoss()",
        "loss = criterion(net(x), y) if isinstance(criterion, nn.CrossEntropyLoss) else criterion(net(x).sigmoid(), y)",
        "LL702",
    ),
    "one of two losses": ("criterion = nn.CrossEntropyLoss() if flag else nn.NLLLoss()", "loss = criterion(net(x).softmax(1), y)", "LL701"),
    "one of two of one kind": ('bce = nn.BCELoss() if flag else nn.BCELoss(reduction="sum")', "loss = bce(net(x), y)", "LL703"),
    "one that takes logits, and another one": (
        "bce = nn.BCELoss() if flag else nn.BCEWithLogitsLoss()",
        "loss = bce(net(x).sigmoid(), y)",
        "LL702",
    ),
    "the one of two losses that takes probabilities": (
        "bce = nn.BCELoss() if flag else nn.CrossEntropyLoss()",
        "loss = bce(net(x), y) if isinstance(bce, nn.BCELoss) else bce(net(x), y)",
        "LL703",
    ),
    "method of the tensor": ("", "loss = criterion(net(x).softmax(1), y)", "LL701"),
    "second of a tuple": ("", "loss = criterion(net(x, probabilities=True)[1], y)", "LL701"),
    "unpacked": ("", "_, p = net(x, probabilities=True); loss = criterion(p, y)", "LL701"),
    "reshaped": ("", "p = F.softmax(net(x), 1); loss = criterion(p.view(-1, 2), y)", "LL701"),
    "layer made at the call": ("", "loss = criterion(nn.Softmax(dim=1)(net(x)), y)", "LL701"),
    "parallel": ("wide = nn.DataParallel(nn.Sequential(nn.Linear(4, 2), nn.Softmax(1)))", "loss = criterion(wide(x), y)", "LL701"),
    "named parts": (
        'seq = nn.Sequential(OrderedDict([("fc", nn.Linear(4, 2)), ("out", nn.Softmax(1))]))',
        "loss = criterion(seq(x), y)",
        "LL701",
    ),
    "list of parts": (
        "parts = [nn.Linear(4, 1)]; parts.append(nn.Sigmoid()); seq = nn.Sequential(*parts)",
        "loss = logits_loss(seq(x), y)",
        "LL702",
    ),
    "one part": ("seq = nn.Sequential(nn.Linear(4, 1))", "loss = bce(seq(x), y)", "LL703"),
    "shaped behind the layer": ("seq = nn.Sequential(nn.Linear(4, 1), nn.Dropout(0.1), nn.Flatten(0))", "loss = bce(seq(x), y)", "LL703"),
    "ready-made": ("net = models.resnet18()", "loss = bce(net(x), y)", "LL703"),
    "ready-made, new head": (
        "net = models.resnet18(); net.fc = nn.Sequential(nn.Linear(8, 2), nn.Softmax(1))",
        "loss = criterion(net(x), y)",
        "LL701",
    ),
    "unknown input": ("", "loss = logits_loss(torch.sigmoid(load(x)), y)", "LL702"),
}
SILENT = {
    "logits": ("", "loss = criterion(net(x), y)"),
    "first of a tuple": ("", "loss = criterion(net(x, probabilities=True)[0], y)"),
    "arithmetic": ("", "loss = criterion(torch.log(net(x).softmax(1) + 1e-8), y)"),
    "on some path": ("", "p = net(x)\n        if flag:\n            p = p.softmax(1)\n        loss = criterion(p, y)"),
    "head replaced on some path": (
        "net = models.resnet18()\n    if flag:\n        net.fc = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())",
        "loss = logits_loss(net(x), y)",
    ),
    "part replaced": ("seq = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()); seq[-1] = nn.Identity()", "loss = logits_loss(seq(x), y)"),
    "the first of two losses": (
        "criterion = nn.CrossEntropyLoss() if flag else nn.BCEWithLogitsLoss()",
        "loss = criterion(net(x).tanh(), y) if isinstance(criterion, nn.CrossEntropyLoss) else criterion(net(x), y)",
    ),
    "one of two losses, made for the other one": ("bce = nn.BCELoss() if flag else nn.CrossEntropyLoss()", "loss = bce(net(x), y)"),
    "one of two losses, beside one of the program": ("bce = nn.BCELoss() if flag else Dice()", "loss = bce(net(x), y)"),
    "one of two losses, one of two outputs": (
        "criterion = nn.CrossEntropyLoss() if flag else nn.NLLLoss()",
        "loss = criterion(net(x) if flag else net(x).softmax(1), y)",
    ),
    "classes, not numbers": ("", "loss = bce(net(x).argmax(1).float(), y)"),
}


def codes(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "train.py"
    file.write_text(text, encoding="utf-8")
    result = analyse(read_source(file), RULES)
    assert not result.problems
    return [f.code for f in result.findings]


@pytest.mark.parametrize(("setup", "body", "code"), FOUND.values(), ids=FOUND)
def test_it_is_known_what_a_prediction_came_out_of(tmp_path: Path, setup: str, body: str, code: str) -> None:
    assert codes(tmp_path, f"{HEAD}    {setup}\n{LOOP.format(body)}") == [code]


@pytest.mark.parametrize(("setup", "body"), SILENT.values(), ids=SILENT)
def test_what_is_not_known_on_every_path_is_not_said(tmp_path: Path, setup: str, body: str) -> None:
    assert codes(tmp_path, f"{HEAD}    {setup}\n{LOOP.format(body)}") == []


def test_hooks_of_a_framework_apply_the_module_itself(tmp_path: Path) -> None:
    text = (
        HEAD
        + """

class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 2), nn.Softmax(1))
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, number):
        x, y = batch
        return self.loss(self(x), y)
"""
    )
    assert codes(tmp_path, text) == ["LL701"]
