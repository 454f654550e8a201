"""Gradients are not switched off around a method that a base leaves to its subclasses, where some of these go backward in it: what calls it serves them too."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

BASE = """\
{imports}
class Base({bases}):
    def __init__(self, model):
        self.model = model

    {decorator}
    def attribute(self, x):
        {nothing}
"""
ABSTRACT = {"imports": "from abc import ABC, abstractmethod\n\n", "bases": "ABC", "decorator": "@abstractmethod", "nothing": "..."}
NOT_IMPLEMENTED = {"imports": "", "bases": "", "decorator": "", "nothing": "raise NotImplementedError"}
DIFFERENCE = """\
from kit.base import Base


class Difference(Base):
    def attribute(self, x):
        scores = self.model(x) - self.model(x * 0)
        return {result}
"""
SALIENCY = """\
import torch
from kit.base import Base


class Saliency(Base):
    def attribute(self, x):
        x = x.requires_grad_(True)
        return self._differentiate(self.model(x).sum(), x)

    def _differentiate(self, score, x):
        {backward}
"""
EVALUATE = """\
def evaluate(loader, method):
    total = 0.0
    for x in loader:
        total += method.attribute(x).sum().item()
    return total
"""
PLAY = """\
import torch
from torch import nn
from kit import *
from evaluation import evaluate


def main(data):
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    model.load_state_dict(torch.load("best.pt", map_location="cpu"))
    model.eval()
    print(evaluate(torch.utils.data.DataLoader(data), Difference(model)))
"""
BACKWARD = "score.backward(); return x.grad"


def _findings(folder: Path, base: dict[str, str], backward: str, result: str = "scores", family: str = "Base") -> set[tuple[str, str]]:
    kit = folder / "kit"
    kit.mkdir()
    kit.joinpath("__init__.py").write_text("from .difference import Difference\nfrom .saliency import Saliency\n")
    kit.joinpath("base.py").write_text(BASE.format(**base))
    kit.joinpath("difference.py").write_text(DIFFERENCE.format(result=result))
    kit.joinpath("saliency.py").write_text(SALIENCY.format(backward=backward).replace("(Base)", f"({family})"))
    folder.joinpath("evaluation.py").write_text(EVALUATE)
    folder.joinpath("play.py").write_text(PLAY)
    found = looplint.lint(folder, isolated=True, select=["LL303"])
    return {(Path(f.filename).name, f.fix.message if f.fix is not None else "") for f in found}


@pytest.mark.parametrize("base", [ABSTRACT, NOT_IMPLEMENTED], ids=["abstract", "not implemented"])
@pytest.mark.parametrize("backward", [BACKWARD, "return torch.autograd.grad(score, x)[0]"], ids=["backward", "grad"])
def test_its_caller_is_not_reported(tmp_path: Path, base: dict[str, str], backward: str) -> None:
    assert _findings(tmp_path, base, backward) == set()


def test_it_is_reported_where_no_subclass_goes_backward(tmp_path: Path) -> None:
    assert _findings(tmp_path, ABSTRACT, "return score") == {("evaluation.py", "Switch gradients off in evaluate")}


def test_it_is_reported_where_only_another_class_goes_backward(tmp_path: Path) -> None:
    assert _findings(tmp_path, ABSTRACT, BACKWARD, family="object") == {("evaluation.py", "Switch gradients off in evaluate")}


def test_gradients_are_switched_off_within_the_method(tmp_path: Path) -> None:
    assert _findings(tmp_path, ABSTRACT, BACKWARD, result="scores.detach()") == {("difference.py", "Run the pass under torch.no_grad()")}
