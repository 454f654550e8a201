"""A project's own optimizers, wrappers and loggers, named in tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.knowledge import own
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection

LOOP = """\
import torch
from {module} import {names}

net = {wrap}(torch.nn.Linear(2, 1))
opt = {optimizer}(net.parameters())
for x, y in loader:
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
"""
OPAQUE = """\
class Lion:
    def __init__(self, parameters):
        self.engine = load_engine(parameters)

    def step(self):
        self.engine(self)

    def zero_grad(self):
        self.engine(self)


def shard(net):
    return load_engine(net)
"""


def codes(path: Path, knowledge: own.Tables = ()) -> list[str]:
    return [f.code for f in lint_paths([str(path)], Selection(knowledge=knowledge)).findings]


def test_a_library_that_is_not_known_is_known_by_its_use(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(LOOP.format(module="acme.training", names="Lion, shard", wrap="shard", optimizer="Lion"))
    assert codes(script) == ["LL102"]
    assert codes(script, (("optimizers", ("acme.training.Lion",)), ("wrappers", ("acme.training.shard",)))) == ["LL102"]


@pytest.mark.parametrize("named", ["acme.training.{}", "training.{}", "{}"])
@pytest.mark.parametrize("file", ["acme/training.py", "acme/training/__init__.py"])
def test_the_projects_own_classes_are_believed_and_not_followed(tmp_path: Path, named: str, file: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(OPAQUE)
    script = tmp_path / "train.py"
    script.write_text(LOOP.format(module="acme.training", names="Lion, shard", wrap="shard", optimizer="Lion"))
    assert codes(script) == []
    assert codes(script, (("optimizers", (named.format("Lion"),)), ("wrappers", (named.format("shard"),)))) == ["LL102"]


def test_a_class_of_another_file_of_that_name_is_not_meant(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OPAQUE)
    script = tmp_path / "train.py"
    script.write_text(LOOP.format(module="other", names="Lion, shard", wrap="shard", optimizer="Lion"))
    assert codes(script, (("optimizers", ("acme.training.Lion",)), ("wrappers", ("acme.training.shard",)))) == []


def test_a_class_of_the_linted_file_itself(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(OPAQUE + LOOP.format(module="x", names="y", wrap="shard", optimizer="Lion"))
    assert codes(script) == []
    assert codes(script, (("optimizers", ("Lion",)), ("wrappers", ("train.shard",)))) == ["LL102"]
