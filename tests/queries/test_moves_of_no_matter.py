"""A move that leaves a model where it is, or that no step of the program follows, does not matter to an optimizer."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from programs import assert_marked

BUILT = """
        class Runner:
            def __init__(self, state, device):
                self.model = nn.Linear(3, 1)
                self.opt = torch.optim.Adam(self.model.parameters())
                if state:
                    self.opt.load_state_dict(torch.load(state, map_location="cpu"))
            def fit(self, loader, device):
                {moves}
                for x, y in loader:
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.model(x), y).backward()
                    self.opt.step()
        def main(state, device, loader):
            Runner(state, device).fit(loader, device)
        """
NEVER_LEFT = {
    "a branch for the CPU": "if device:\n                    self.model.to(device)  # expect: LL501\n                else:\n"
    "                    device = 'cpu'\n                    self.model.to(device)",
    "cpu alone": "self.model.cpu()",
    "a device of torch": "self.model.to(torch.device('cpu'))",
    "back again": "self.model.to(device)  # expect: LL501\n                self.model.cpu()  # expect: LL501",
    "new memory": "self.model.to_empty(device='cpu')  # expect: LL501",
}


@pytest.mark.parametrize("moves", NEVER_LEFT.values(), ids=NEVER_LEFT)
def test_a_move_to_where_the_model_is(moves: str) -> None:
    assert_marked(BUILT.format(moves=moves))


BUILDER = """
import torch
from torch import nn
class Experiment:
    def __init__(self, state):
        self.model = nn.Linear(3, 1)
        self.opt = torch.optim.Adam(self.model.parameters())
        if state:
            self.opt.load_state_dict(torch.load(state, map_location="cpu"))
    def fit(self, loader):
        for x, y in loader:
            self.opt.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            self.opt.step()
"""
USER = """
import torch
from builder import Experiment
def main(state, device, loader):
    exp = Experiment(state)
    model = exp.model
    model.load_state_dict(torch.load("weights.pt", map_location="cpu"))
    model.to(device)
    {then}
main("s", "cuda", [])
"""
THEN = {
    "inference": ("model.eval()\n    with torch.no_grad():\n        print(model(torch.ones(3)))", []),
    "a step": ("exp.fit(loader)", ["LL501"]),
    "code out of sight": ("import tools\n    tools.fit(exp.opt, loader)", ["LL501"]),
}


@pytest.mark.parametrize(("then", "found"), THEN.values(), ids=THEN)
def test_what_another_file_builds(tmp_path: Path, then: str, found: list[str]) -> None:
    tmp_path.joinpath("builder.py").write_text(BUILDER)
    user = tmp_path / "user.py"
    user.write_text(USER.format(then=then))
    assert [f.code for f in looplint.lint(user, select=["LL501"], isolated=True)] == found
