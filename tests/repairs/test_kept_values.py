"""What is kept or added up is repaired as far as it is proved to be a tensor: what is made of one and is none is no finding, and no repair fails on a number."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from looplint.finding import Finding
from tests.repaired_text import assert_repaired

KEPT = """\
import copy
import pickle
import weakref
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
import torch
from torch import nn, optim
import records
pool = ThreadPoolExecutor()
net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
kept = []
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        kept.append({kept})
"""
OF_A_MODEL = """\
import torch
from torch import nn, optim
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 1)
    def forward(self, x):
        return {returned}
def fit(loader, net: nn.Module):
    {model}
    opt = optim.SGD(net.parameters(), lr=0.1)
    kept = []
    for x, y in loader:
        opt.zero_grad()
        pred = net(x)
        loss = nn.functional.mse_loss(pred, y)
        loss.backward()
        opt.step()
        kept.append(pred)
"""
SOMETIMES = """\
import torch
from torch import nn, optim
def fit(net: nn.Module, loader, weight):
    opt = optim.SGD(net.parameters(), lr=0.1)
    total = 0.0
    for x, y in loader:
        opt.zero_grad()
        {penalty}
        loss = nn.functional.mse_loss(net(x), y) + weight * penalty
        loss.backward()
        opt.step()
        total += penalty
    print(total)
"""


def found(text: str) -> list[Finding]:
    return [f for f in looplint.lint(text, isolated=True) if f.code in ("LL401", "LL402")]


@pytest.mark.parametrize(
    "kept",
    [
        "weakref.ref(loss)",
        "weakref.proxy(loss)",
        "lambda: loss",
        "id(loss)",
        "hash(loss)",
        "type(loss)",
        "pickle.dumps(loss)",
        "pool.submit(print, loss)",
        "records.describe(loss)",
        "loss.data_ptr()",
        "loss.untyped_storage()",
        "loss.is_floating_point()",
        "loss.item",
        "loss.register_hook(print)",
    ],
)
def test_what_is_made_of_a_tensor_and_is_none_is_not_reported(kept: str) -> None:
    assert found(KEPT.format(kept=kept)) == []


@pytest.mark.parametrize("kept", ["(epoch, loss)", "namedtuple('Record', 'step loss')(epoch, loss)"])
def test_a_tuple_that_has_one_is_reported_and_not_repaired(kept: str) -> None:
    (finding,) = found(KEPT.format(kept=kept))
    assert finding.fix is None


@pytest.mark.parametrize("kept", ["loss", "loss * 2", "torch.sqrt(loss)", "net(x)"])
def test_what_is_proved_to_be_a_tensor_is_repaired(kept: str) -> None:
    (finding,) = found(KEPT.format(kept=kept))
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"


@pytest.mark.parametrize(
    ("model", "returned", "applicability"),
    [
        ("net = Net()", "self.out(x)", "safe"),
        ("net = Net()", "torch.relu(self.out(x)) + 1", "safe"),
        ("net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())", "x", "safe"),
        ("net.train()", "x", "unsafe"),
        ("net = torch.hub.load('group/name', 'model')", "x", "unsafe"),
    ],
)
def test_an_output_is_repaired_as_far_as_its_model_is_known(model: str, returned: str, applicability: str) -> None:
    (finding,) = found(OF_A_MODEL.format(model=model, returned=returned))
    assert finding.fix is not None
    assert finding.fix.applicability == applicability


@pytest.mark.parametrize(
    ("penalty", "added"),
    [
        ("penalty = net(x).mean()", "penalty.item()"),
        ("penalty = net(x).mean() if weight else 0.0", "float(penalty)"),
        ("penalty = 0.0\n        if weight:\n            penalty = net(x).mean()", "float(penalty)"),
        ("penalty = 0\n        for part in net.children():\n            penalty += part(x).pow(2).mean()", "float(penalty)"),
    ],
)
def test_what_is_a_number_on_some_paths_is_made_one(penalty: str, added: str) -> None:
    text = SOMETIMES.format(penalty=penalty)
    assert looplint.fix(text, isolated=True).text == text.replace("total += penalty", f"total += {added}")


TOGETHER = """\
kept = []
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    more = []
    for row in model(x):
        more.append(row)
    {put}
print(kept)
"""


@pytest.mark.parametrize("put", ["kept = kept + more", "kept += more", "kept = [*kept, *more]"])
def test_lists_are_not_detached(tmp_path: Path, put: str) -> None:
    program = TOGETHER.replace("{put}", put)
    assert_repaired(tmp_path / "train.py", program, program)
