"""LL302: eval mode is switched on above the branches of a condition where a model predicts in more than one of them, or after them too."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from repaired_text import fixed

PROGRAM = """\
import sys

import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())

    def forward(self, x):
        return self.body(x)

    def chunked(self, x, size):
        parts = []
        for start in range(0, len(x), size):
            parts.append(self(x[start : start + size]))
        return torch.cat(parts)


def predict(chunks, flip):
    model = Net()
    model.load_state_dict(torch.load("weights.pt"))
    model.cuda()
    x = torch.from_numpy(np.load(sys.argv[1]))
{compute}    return y.cpu().numpy()
"""
EVAL = "    model.eval()\n"
BRANCHES = """\
    with torch.no_grad():
        if chunks is not None:
            y = model(x[:chunks])
        else:
            y = model(x)
"""
CHUNKED = BRANCHES.replace("model(x[:chunks])", "model.chunked(x, chunks)")
BESIDE = """\
    with torch.no_grad():
        x = x.cuda()
        if chunks is not None:
            y = model(x[:chunks])
        elif flip:
            y = model(x.flip(0))
        else:
            y = model(x)
"""
AFTER = """\
    with torch.no_grad():
        if flip:
            print(model(x.flip(0)).cpu().numpy())
        y = model(x)
"""
ALONE = """\
    with torch.no_grad():
        if chunks is None:
            y = model(x)
        else:
            y = x
"""


@pytest.mark.parametrize(
    ("compute", "repaired"),
    [
        (BRANCHES, EVAL + BRANCHES),
        (CHUNKED, EVAL + CHUNKED),
        (BESIDE, BESIDE.replace("        if chunks", f"    {EVAL}        if chunks")),
        (AFTER, AFTER.replace("        if flip", f"    {EVAL}        if flip")),
        (ALONE, ALONE.replace("            y = model", f"        {EVAL}            y = model")),
    ],
)
def test_all_predictions_are_made_in_eval_mode(tmp_path: Path, compute: str, repaired: str) -> None:
    assert fixed(tmp_path / "predict.py", PROGRAM.format(compute=compute).encode()).decode() == PROGRAM.format(compute=repaired)


@pytest.mark.parametrize(
    "switch",
    [
        "model.train()\n            y = model(x[:chunks])",
        "model = model.float()\n            y = model(x[:chunks])",
    ],
)
def test_no_safe_repair_in_one_branch_alone(switch: str) -> None:
    text = PROGRAM.format(compute=BRANCHES.replace("y = model(x[:chunks])", switch))
    found = [f for f in looplint.lint(text, isolated=True) if f.code == "LL302"]
    assert found
    assert not any(f.fix is not None and f.fix.applicability == "safe" for f in found)
