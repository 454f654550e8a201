"""A method that a base in another file calls has the gradients that are on there."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from command_line import looplint_text

BASE = """
import torch


class Agent:
    def act(self, batches, training):
        if training:
            return self.train_step(batches)
        {around}
            return self.eval_step(batches)

    def train_step(self, batches):
        raise NotImplementedError

    def eval_step(self, batches):
        raise NotImplementedError
"""
MIDDLE = """
from agents import Agent


class Ranker(Agent):
    def eval_step(self, batches):
        return self.score(batches)
"""
MINE = """
from torch import nn
from {module} import {base}


class Mine({base}):
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))

    def {method}(self, batches):
        self.model.eval()
        found = []
        for x, y in batches:
            found.append(nn.functional.mse_loss(self.model(x), y).item())
        return found
"""
OFF, ON = "with torch.no_grad():", "if batches:"


@pytest.mark.parametrize(
    ("around", "module", "base", "method", "found"),
    [
        (OFF, "agents", "Agent", "eval_step", False),
        (OFF, "rankers", "Ranker", "score", False),
        (OFF, "rankers", "Ranker", "eval_step", False),
        (ON, "agents", "Agent", "eval_step", True),
        (ON, "rankers", "Ranker", "score", True),
        (OFF, "agents", "Agent", "measure", True),
    ],
    ids=["by the base", "by the base's subclass", "by the base of the base", "with gradients", "with gradients below", "by nobody"],
)
def test_gradients_are_those_of_the_callers(tmp_path: Path, around: str, module: str, base: str, method: str, found: bool) -> None:
    (tmp_path / "agents.py").write_text(BASE.format(around=around))
    (tmp_path / "rankers.py").write_text(MIDDLE)
    (tmp_path / "mine.py").write_text(dedent(MINE.format(module=module, base=base, method=method)))
    answer = looplint_text("check", "--isolated", "--no-cache", "--output-format", "concise", "mine.py", cwd=tmp_path)
    assert ("LL303" in answer.stdout) == found


def test_a_caller_that_the_class_replaces_calls_nothing(tmp_path: Path) -> None:
    (tmp_path / "agents.py").write_text(BASE.format(around=ON))
    mine = dedent(MINE.format(module="agents", base="Agent", method="eval_step"))
    (tmp_path / "mine.py").write_text(f"""import torch
{mine}
    def act(self, batches, training):
        with torch.no_grad():
            return self.eval_step(batches)
""")
    answer = looplint_text("check", "--isolated", "--no-cache", "--output-format", "concise", "mine.py", cwd=tmp_path)
    assert "LL303" not in answer.stdout


def test_the_call_of_the_base_is_shown(tmp_path: Path) -> None:
    (tmp_path / "agents.py").write_text(BASE.format(around=ON))
    (tmp_path / "mine.py").write_text(dedent(MINE.format(module="agents", base="Agent", method="eval_step")))
    answer = looplint_text("check", "--isolated", "--no-cache", "mine.py", cwd=tmp_path)
    assert "eval_step is called here, where gradients are enabled" in answer.stdout
    assert "agents.py" in answer.stdout
