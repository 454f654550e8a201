"""A pass whose call goes through a loop over parts in another file is run under no_grad where it is called: others may train with that code."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.fixing import fix_paths

FLOWS = """\
import torch
from torch import nn


class Flows(nn.Module):
    def __init__(self, flows):
        super().__init__()
        self.flows = nn.ModuleList(flows)

    def log_prob(self, x):
        total = torch.zeros(len(x))
        for number in range(len(self.flows) - 1, -1, -1):
            x, found = self.flows[number](x)
            total = total + found
        return total


class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 2)

    def forward(self, x):
        return self.net(x), self.net(x).sum(1)


def evaluate(model, loader):
    total = 0
    for x in loader:
        total += model.log_prob(x).mean().item()
    return total
"""
SCRIPT = """\
import torch
from flows import Flow, Flows, evaluate

model = Flows([Flow() for _ in range(4)])
optimizer = torch.optim.Adam(model.parameters())
for turn in range(100):
    model.train()
    for x in loader:
        optimizer.zero_grad()
        (-model.log_prob(x).mean()).backward()
        optimizer.step()
    model.eval()
    LOOKED
"""


@pytest.mark.parametrize(
    ("looked", "script", "other"),
    [
        (
            "print(model.log_prob(torch.randn(9, 2)).numpy())",
            "    with torch.no_grad():\n        print(model.log_prob(torch.randn(9, 2)).numpy())\n",
            "",
        ),
        (
            "density = model.log_prob(grid).view(3, 3)\n    print(density.data.numpy())",
            "    with torch.no_grad():\n        density = model.log_prob(grid).view(3, 3)\n    print(density.data.numpy())\n",
            "",
        ),
        # A loop over data that validates is one for everybody.
        ("print(evaluate(model, held_out))", "    print(evaluate(model, held_out))\n", "@torch.no_grad()\ndef evaluate"),
    ],
)
def test_where_no_grad_goes(tmp_path: Path, looked: str, script: str, other: str) -> None:
    (tmp_path / "flows.py").write_text(FLOWS)
    (tmp_path / "train.py").write_text(SCRIPT.replace("LOOKED", looked))
    result = fix_paths([str(tmp_path / "flows.py"), str(tmp_path / "train.py")], unsafe=True, jobs=1)
    repaired = {new.path.name: new.raw.decode() for _, new in result.changed if new.path is not None}
    assert repaired.get("train.py") == (SCRIPT.replace("    LOOKED\n", script) if not other else None)
    assert repaired.get("flows.py") == (FLOWS.replace("def evaluate", other) if other else None)
