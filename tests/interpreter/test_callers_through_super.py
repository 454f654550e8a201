"""A method that a nearer class adds to still runs, with the gradients that are on where the nearer one calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import looplint_text

COMPONENT = """
class Component:
    def __call__(self, *args, **kwargs):
        return self.predict(*args, **kwargs)

    def predict(self, *args, **kwargs):
        raise NotImplementedError
"""
ABOVE = """
import torch
from component import Component


class TorchComponent(Component):
    {decorator}
    def __call__(self, *args, **kwargs):
        {around}
            return {called}(*args, **kwargs)
"""
MINE = """
from torch import nn
from above import TorchComponent


class Tagger(TorchComponent):
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))

    def predict(self, batches):
        return self.predict_data(batches)

    def predict_data(self, batches):
        self.model.eval()
        found = []
        for x, y in batches:
            found.append(nn.functional.mse_loss(self.model(x), y).item())
        return found
"""
DECORATED, PLAIN = "@torch.no_grad()", "# as it is"
OFF, ON = "with torch.no_grad():", "if args:"


@pytest.mark.parametrize(
    ("decorator", "around", "called", "found"),
    [
        (DECORATED, ON, "super().__call__", False),
        (PLAIN, OFF, "super().__call__", False),
        (DECORATED, ON, "super(TorchComponent, self).__call__", False),
        (DECORATED, ON, "Component.__call__", False),
        (PLAIN, ON, "super().__call__", True),
        (DECORATED, ON, "print", True),
    ],
    ids=["decorated", "in a context", "with both arguments", "by the name of the base", "with gradients", "replaced"],
)
def test_gradients_are_those_of_the_method_that_adds_to_it(tmp_path: Path, decorator: str, around: str, called: str, found: bool) -> None:
    (tmp_path / "component.py").write_text(COMPONENT)
    (tmp_path / "above.py").write_text(ABOVE.format(decorator=decorator, around=around, called=called))
    (tmp_path / "mine.py").write_text(MINE)
    answer = looplint_text("check", "--isolated", "--no-cache", "--output-format", "concise", "mine.py", cwd=tmp_path)
    assert ("LL303" in answer.stdout) == found
