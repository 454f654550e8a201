"""A module of a library ends in the activation that it is given, and in its own head where it is given none (LL701, LL702, LL703)."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
from functools import partial
import dgl
import segmentation_models_pytorch as smp
import torch
import torch.nn.functional as F
from torch import nn

def train(loader, options):
    net = {net}
    {after}
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    criterion = {loss}
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        opt.step()

train(torch.utils.data.DataLoader(data, shuffle=True), settings)
"""
CE, LOGITS, PROBABILITIES = "nn.CrossEntropyLoss()", "nn.BCEWithLogitsLoss()", "nn.BCELoss()"


def _codes(net: str, loss: str, after: str = "pass") -> list[str]:
    return [f.code for f in looplint.lint(PROGRAM.format(net=net, loss=loss, after=after), isolated=True)]


@pytest.mark.parametrize(
    ("net", "loss", "code"),
    [
        ('smp.Unet("resnet34", classes=1, activation="sigmoid")', LOGITS, "LL702"),
        ('smp.create_model("fpn", classes=4, activation="softmax2d")', CE, "LL701"),
        ("smp.DeepLabV3Plus(classes=4, activation=nn.Softmax(dim=1))", CE, "LL701"),
        ("smp.FPN(classes=1)", PROBABILITIES, "LL703"),
        ("dgl.nn.GraphConv(8, 3, activation=partial(F.softmax, dim=1))", CE, "LL701"),
        ("dgl.nn.pytorch.SAGEConv(8, 1, 'mean', activation=torch.sigmoid)", LOGITS, "LL702"),
        ("nn.Sequential(nn.Conv2d(3, 3, 1), smp.PSPNet(classes=1, activation='sigmoid'))", LOGITS, "LL702"),
    ],
)
def test_the_activation_is_the_end_of_the_output(net: str, loss: str, code: str) -> None:
    assert _codes(net, loss) == [code]


@pytest.mark.parametrize(
    ("net", "loss", "after"),
    [
        ('smp.Unet("resnet34", classes=1, activation="sigmoid")', PROBABILITIES, "pass"),
        ("smp.Unet(classes=1, activation=None)", LOGITS, "pass"),
        ("smp.Unet(classes=1, activation=options.activation)", LOGITS, "pass"),
        ("smp.Unet(classes=1, activation='sigmoid')", LOGITS, "net.segmentation_head = nn.Conv2d(16, 1, 1)"),
        ("smp.Unet(classes=1)", PROBABILITIES, "net.segmentation_head = nn.Sequential(nn.Conv2d(16, 1, 1), nn.Sigmoid())"),
        ("smp.Unet(**options)", PROBABILITIES, "pass"),
        ("smp.Unet(classes=1, aux_params={'classes': 2})", PROBABILITIES, "pass"),
        ("nn.Sequential(smp.Unet(classes=1), nn.Sigmoid())", PROBABILITIES, "pass"),
        ("dgl.nn.GraphConv(8, 3, activation=F.relu)", CE, "pass"),
        ("dgl.nn.GraphConv(8, 3)", PROBABILITIES, "pass"),
        ("dgl.nn.GraphConv(8, 3, activation=partial(F.softmax, options))", CE, "pass"),
    ],
)
def test_another_end_is_right_or_not_known(net: str, loss: str, after: str) -> None:
    assert _codes(net, loss, after) == []


def test_the_repair_takes_the_activation_away_and_leaves_the_model(tmp_path: Path) -> None:
    text = PROGRAM.format(net="nn.DataParallel(smp.Unet('resnet34', activation='sigmoid', classes=1))", loss=LOGITS, after="pass")
    assert fixed(tmp_path / "train.py", text.encode(), unsafe=True).decode() == text.replace(" activation='sigmoid',", "")
