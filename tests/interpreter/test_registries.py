"""A module as a table of models: `models.__dict__[name]()` and `getattr(models, name)()` build what its functions build."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

MODELS = """\
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, width), nn.Dropout(0.5))

    def sample(self, n):
        return self.body(n)

    def forward(self, x):
        return self.body(x)


def mask(x, ratio):
    return x * ratio


def net_small(**kwargs):
    model = Net(8, **kwargs)
    return model


def net_large(**kwargs):
    return Net(64, **kwargs)


net_default = net_small
"""
OTHER = """

class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)

    def forward(self, x):
        return self.body(x)


def wide():
    return Wide()
"""
TRAIN = """\
import torch
from torch import nn
import models


def main(args, data):
    model = {made}
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in data:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
    model.eval()
    images = []
    for n in range(10):
        images.append(model.sample(torch.zeros(n, 8)).cpu().numpy())
"""
WAYS = ["models.__dict__[args.model](**vars(args))", "getattr(models, args.model)()", "vars(models)[args.model]()"]


@pytest.mark.parametrize("made", WAYS)
def test_methods_of_the_class_are_followed(tmp_path: Path, made: str) -> None:
    (tmp_path / "models.py").write_text(MODELS)
    (tmp_path / "train.py").write_text(TRAIN.replace("{made}", made))
    found = looplint.lint(tmp_path / "train.py", isolated=True)
    assert [(f.code, f.location.row) for f in found] == [("LL303", 16)]


@pytest.mark.parametrize("made", WAYS)
def test_functions_that_build_different_classes_say_nothing(tmp_path: Path, made: str) -> None:
    (tmp_path / "models.py").write_text(MODELS + OTHER)
    (tmp_path / "train.py").write_text(TRAIN.replace("{made}", made))
    assert not looplint.lint(tmp_path / "train.py", isolated=True)


@pytest.mark.parametrize("made", WAYS)
def test_functions_that_a_star_brings_in(tmp_path: Path, made: str) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text("from .nets import *\n")
    (tmp_path / "models" / "nets.py").write_text(MODELS)
    (tmp_path / "train.py").write_text(TRAIN.replace("{made}", made))
    found = looplint.lint(tmp_path / "train.py", isolated=True)
    assert [(f.code, f.location.row) for f in found] == [("LL303", 16)]


@pytest.mark.parametrize("second", ["*", "wide"])
@pytest.mark.parametrize("made", WAYS)
def test_functions_of_two_modules_that_build_different_classes_say_nothing(tmp_path: Path, made: str, second: str) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text(f"from .nets import *\nfrom .wide import {second}\n")
    (tmp_path / "models" / "nets.py").write_text(MODELS)
    (tmp_path / "models" / "wide.py").write_text(f"from torch import nn\n{OTHER}")
    (tmp_path / "train.py").write_text(TRAIN.replace("{made}", made))
    assert not looplint.lint(tmp_path / "train.py", isolated=True)
