"""Methods of models out of sight: the program's classes that have one of the name tell whether it trains, and what takes a loader is no forward."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

METHOD = """\
from torch import nn


class {cls}(nn.Module):
    def __init__(self, backbone, optimizer):
        super().__init__()
        self.backbone = backbone
        self.optimizer = optimizer

    def {method}(self, batch):
        loss = nn.functional.cross_entropy(self.backbone(batch[0]), batch[1])
        {way}
        return loss
{more}"""
PLAIN = "return loss / 2"
DIRECT = "loss.backward(); self.optimizer.step()"
BY_ANOTHER = "self.update(loss)"
UPDATE = """
    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""
TRAIN = """\
import torch
from torch import nn
import models


def build(module, config):
    return getattr(module, config["name"])(**config["kwargs"])


class Trainer:
    def __init__(self, config):
        self.model = build(models, config).to("cuda")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def adapt(self, loader):
        self.model.eval()
        for batch in loader:
            loss = self.model.stage(batch)
            print(loss.item())

    def train(self, loader, valid):
        for epoch in range(9):
            self.model.train()
            for x, y in loader:
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(x), y)
                loss.backward()
                self.optimizer.step()
            self.adapt(valid)


def main(config, data, held_out):
    loader = torch.utils.data.DataLoader(data, shuffle=True)
    Trainer(config).train(loader, torch.utils.data.DataLoader(held_out))
"""


def _codes(folder: Path, files: dict[str, str], train: str = TRAIN) -> set[str]:
    package = folder / "models"
    package.mkdir()
    package.joinpath("__init__.py").write_text("".join(f"from .{name} import {name.title()}\n" for name in files))
    for name, text in files.items():
        package.joinpath(f"{name}.py").write_text(text)
    folder.joinpath("train.py").write_text(train)
    return {f.code for f in looplint.lint(folder / "train.py", isolated=True) if f.severity != "advice"}


def _model(cls: str, method: str, way: str, more: str = "") -> str:
    return METHOD.format(cls=cls, method=method, way=way, more=more)


FILES = {
    "it goes backward": ({"bias": _model("Bias", "stage", DIRECT), "plain": _model("Plain", "observe", PLAIN)}, set()),
    "in another method": ({"bias": _model("Bias", "stage", BY_ANOTHER, UPDATE)}, set()),
    "in one class of two": ({"bias": _model("Bias", "stage", DIRECT), "plain": _model("Plain", "stage", PLAIN)}, set()),
    "in none": ({"plain": _model("Plain", "stage", PLAIN), "other": _model("Other", "observe", DIRECT)}, {"LL303"}),
    "nothing has it": ({"other": _model("Other", "observe", PLAIN)}, {"LL303"}),
}


@pytest.mark.parametrize(("files", "codes"), FILES.values(), ids=FILES)
def test_a_method_of_a_class_taken_by_its_name(tmp_path: Path, files: dict[str, str], codes: set[str]) -> None:
    assert _codes(tmp_path, files) == codes


def test_a_method_of_a_class_that_was_read(tmp_path: Path) -> None:
    train = TRAIN.replace("import models", "from models.bias import Bias").replace("build(models,", "build(zoo,")
    train = train.replace("Trainer(config)", "isinstance(config, Bias) or Trainer(config)")
    assert _codes(tmp_path, {"bias": _model("Bias", "stage", DIRECT)}, train) == set()


SPLIT = """\
import torch
from torch import nn
from zoo import build


def main(config, tasks, data):
    model = build(config)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = torch.utils.data.TensorDataset(data)
    for task in range(tasks):
        loader = torch.utils.data.DataLoader(dataset, shuffle=True)
        first, second = model.split({given})
        for epoch in range(9):
            for x, y in {over}:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x) + first, y)
                loss.backward()
                optimizer.step()
        model.eval()
        print(loss.item())
"""


@pytest.mark.parametrize(
    ("given", "over", "codes"),
    [
        ("loader, task", "first", set()),
        ("dataset", "loader", set()),
        ("7, data=loader", "zip(first, second)", set()),
        ("torch.ones(3)", "loader", {"LL301"}),
    ],
)
def test_a_method_that_takes_data_is_no_forward(given: str, over: str, codes: set[str]) -> None:
    found = looplint.lint(SPLIT.format(given=given, over=over), isolated=True)
    assert {f.code for f in found if f.severity != "advice"} == codes
