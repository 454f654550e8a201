"""A ready-made model of torchvision that is full of batch norm differs between the modes, whatever the program puts in the place of its head."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
import torchvision
from torch import nn

class Whole(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))

def validate(loader, name):
    BUILT
    model.load_state_dict(torch.load("weights.pt", map_location="cpu"))
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()
    print(right)
"""
HEAD = "model.fc = nn.Linear(512, 2)"
WHOLE = "body = torchvision.models.resnet18(weights=None)\n    body.fc = nn.Identity()\n    model = Whole(body)"
TABLE = (
    'table = {"a": torchvision.models.resnet18(), "b": torchvision.models.resnet50()}\n    body = table[name]\n    body.fc = nn.Identity()\n'
    "    model = Whole(body)"
)


def _found(built: str) -> list[str]:
    return [f.severity for f in looplint.lint(PROGRAM.replace("BUILT", built), select=["LL302"])]


@pytest.mark.parametrize(
    "built", [f"model = torchvision.models.resnet18()\n    {HEAD}", "model = torchvision.models.vgg16_bn()", WHOLE, TABLE]
)
def test_one_that_normalises_over_the_batch(built: str) -> None:
    assert _found(built) == ["error"]


@pytest.mark.parametrize(
    "built",
    [
        "model = torchvision.models.resnet18(norm_layer=make_norm)",
        "model = torchvision.models.swin_t()",
        f"model = timm.create_model(name)\n    {HEAD}",
    ],
)
def test_one_whose_layers_are_others_or_not_known(built: str) -> None:
    assert _found(built) == []
