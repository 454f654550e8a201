"""A function of another file is followed with a caller's objects, and a call in it is left for its size: what stands behind that, its own file tells."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

MAIN = """\
import torch
from evaluation import {name}


{around}def main(net, loader):
    {call}


main(torch.nn.Linear(2, 1), [])
"""
ONE = """\
def evaluate(net, loader):
    net.eval()
    for x, y in loader:
        print((net(x).argmax(1) == y).sum().item())
""" + "    print(loader)\n" * 40  # fmt: skip
TWICE = """

def evaluate_all(net, loaders):
    scores = {}
    for name in ("valid", "test"):
        scores[name] = evaluate(net, loaders)
        scores[name] = evaluate(net, loaders)
    return scores
"""
UNDER_NO_GRAD = """
import torch


def evaluate_all(net, loaders):
    with torch.no_grad():
        evaluate(net, loaders)
"""
METHOD = """

class Evaluator:
    def __init__(self, net, loader):
        self.net, self.loader = net, loader

    def run(self):
        return self.score()

    def score(self):
        return evaluate(self.net, self.loader)
"""
FOR_SOME = """

def evaluate_all(net, loaders, measures=True):
    if measures:
        evaluate(net, loaders)
"""


def _found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, str], evaluation: str) -> list[str]:
    for budget, small in (("interpreter.ROOT_FUEL", 1000), ("roots.ROOT_FUEL", 1000), ("allowances._LEAST", 60)):
        monkeypatch.setattr(f"looplint.interpreter.{budget}", small)
    given = {"around": "", "name": "evaluate_all", "call": "evaluate_all(net, loader)", **parts}
    files = {"main.py": MAIN.format(**given), "evaluation.py": ONE + evaluation}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return [f.code for f in looplint.lint([tmp_path / name for name in files], isolated=True)]


@pytest.mark.parametrize(
    ("parts", "evaluation"),
    [
        pytest.param({}, TWICE, id="by a function"),
        pytest.param({"call": "for epoch in range(3):\n        print(evaluate_all(net, loader))"}, TWICE, id="in each epoch"),
        pytest.param({"name": "Evaluator", "call": "Evaluator(net, loader).run()"}, METHOD, id="by methods"),
        pytest.param({}, FOR_SOME, id="under a condition that holds"),
    ],
)
def test_what_no_caller_follows_is_told_by_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, str], evaluation: str
) -> None:
    assert _found(tmp_path, monkeypatch, parts, evaluation) == ["LL303"]


@pytest.mark.parametrize(
    ("parts", "evaluation"),
    [
        pytest.param({"around": "@torch.no_grad()\n"}, TWICE, id="gradients are off in the caller"),
        pytest.param({}, UNDER_NO_GRAD, id="they are off around the call"),
        pytest.param({"call": "evaluate_all(net, loader, measures=False)"}, FOR_SOME, id="the caller does not come to it"),
    ],
)
def test_what_callers_tell_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: dict[str, str], evaluation: str) -> None:
    assert _found(tmp_path, monkeypatch, parts, evaluation) == []
