"""A method that calls the one it replaces switches gradients off for what that one calls: `super().__call__(data)`, under `no_grad`."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint

BASES = """\
import torch
from torch import nn

class Core:
    def {name}(self, data):
        return self.predict(data)

class Component(Core):
    {decorated}
    def {name}(self, data):
        {body}
"""
SUB = """
class Detector(Component):
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(), nn.Linear(4, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def fit(self, loader):
        self.model.train()
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            self.optimizer.step()

    def predict(self, data):
        self.model.eval()
        found = []
        for x, _ in torch.utils.data.DataLoader(data):
            found.append((self.model(x) > 0).tolist())
        return found
"""
OFF = "@torch.no_grad()"
COVERED = [
    pytest.param("__call__", OFF, "return super().__call__(data)", id="decorated"),
    pytest.param("__call__", "", "with torch.inference_mode():\n            return super().__call__(data)", id="in a block"),
    pytest.param("apply", OFF, "return Core.apply(self, data)", id="by the class"),
    pytest.param("run", OFF, "results = super(Component, self).run(list(data))\n        return results", id="and goes on"),
]
WITH_GRADIENTS = [
    pytest.param("__call__", "", "return super().__call__(data)", id="gradients are on"),
    pytest.param("__call__", OFF, "return list(data)", id="it calls nothing"),
]


def found(folder: Path, bases: str, *, in_one: bool) -> list[str]:
    main = folder / "main.py"
    if in_one:
        main.write_text(bases + SUB)
    else:
        (folder / "bases.py").write_text(bases)
        main.write_text(f"import torch\nfrom torch import nn\nfrom bases import Component\n{SUB}")
    return [f.code for f in looplint.lint([str(main)], isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("in_one", [True, False], ids=["in one file", "in two files"])
@pytest.mark.parametrize(("name", "decorated", "body"), COVERED)
def test_its_callers_switch_gradients_off(tmp_path: Path, name: str, decorated: str, body: str, in_one: bool) -> None:
    assert found(tmp_path, BASES.format(name=name, decorated=decorated, body=body), in_one=in_one) == []


@pytest.mark.parametrize("in_one", [True, False], ids=["in one file", "in two files"])
@pytest.mark.parametrize(("name", "decorated", "body"), WITH_GRADIENTS)
def test_its_callers_leave_them_on(tmp_path: Path, name: str, decorated: str, body: str, in_one: bool) -> None:
    assert found(tmp_path, BASES.format(name=name, decorated=decorated, body=body), in_one=in_one) == ["LL303"]
