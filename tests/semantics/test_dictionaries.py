"""Dictionaries keep what is put into them, in whatever way it gets there."""

from __future__ import annotations

import pytest

import looplint

KEPT = """\
import copy
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=16, shuffle=True)
net = nn.Linear(8, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
history, record, best = [], {}, 0.0
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        STATEMENT
    if loss.item() > best:
        best = loss.item()
        SNAPSHOT
net.load_state_dict(RESTORED)
print(history, record)
"""


def _codes(statement: str, snapshot: str = "state = copy.deepcopy(net.state_dict())", restored: str = "state") -> list[str]:
    code = KEPT.replace("STATEMENT", statement).replace("SNAPSHOT", snapshot).replace("RESTORED", restored)
    return [f.code for f in looplint.lint(code)]


@pytest.mark.parametrize(
    "statement",
    [
        "history.append({**{'loss': loss}, 'epoch': epoch})",
        "history.append({**dict(loss=loss)})",
        "history.append(dict({'loss': loss}))",
        "record.setdefault('losses', []).append(loss)",
        "record.setdefault(str(epoch), []).append(loss)",
    ],
)
def test_a_loss_is_kept_by(statement: str) -> None:
    assert _codes(statement) == ["LL401"]


@pytest.mark.parametrize(
    "statement",
    [
        "history.append({**{'loss': loss.item()}, 'epoch': epoch})",
        "record.setdefault('losses', []).append(loss.item())",
        "[].append(loss)",
        "metrics = {**{'loss': loss}, 'epoch': epoch}",
    ],
)
def test_no_loss_is_kept_by(statement: str) -> None:
    assert _codes(statement) == []


@pytest.mark.parametrize(
    ("snapshot", "restored"),
    [
        ("state = dict(net.state_dict())", "state"),
        ("state = net.state_dict().copy()", "state"),
        ("record.update(epoch=epoch, weights=net.state_dict())", "record['weights']"),
    ],
)
def test_a_state_shares_its_tensors_with(snapshot: str, restored: str) -> None:
    assert _codes("pass", snapshot, restored) == ["LL801"]


@pytest.mark.parametrize(
    ("snapshot", "restored"),
    [
        ("state = dict(copy.deepcopy(net.state_dict()))", "state"),
        ("record.update(weights=copy.deepcopy(net.state_dict()))", "record['weights']"),
    ],
)
def test_a_deep_copy_shares_nothing(snapshot: str, restored: str) -> None:
    assert _codes("pass", snapshot, restored) == []
