"""A test of a class tells what a value is on each side of it, and what a dict is that holds it."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

KEPT = """\
import torch
from torch import nn, optim
class Pointer:
    def __init__(self, rank):
        self.rank = rank
def train(model: nn.Module, batches):
    opt = optim.SGD(model.parameters(), lr=0.1)
    outputs = []
    for batch in batches:
        {output}
        {backward}
        opt.step()
        opt.zero_grad()
        if {test}:
            {then}
        outputs.append(output)
    return outputs
print(train(nn.Linear(2, 1), [torch.randn(2, 2)] * 3))
"""
OF_ENTRY = "output = {k: v.detach() for k, v in output.items()}"
DICT = 'output = {"loss": model(batch).mean()}'
EITHER = 'output = model(batch)\n        if not isinstance(output, dict):\n            output = {"loss": output}'


def reported(output: str, backward: str, test: str, then: str) -> list[str]:
    text = KEPT.format(output=output, backward=backward, test=test, then=then)
    return [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL401"]


@pytest.mark.parametrize(
    ("output", "backward", "test", "then"),
    [
        (EITHER, 'output["loss"].backward()', 'not isinstance(output["loss"], Pointer)', OF_ENTRY),
        (DICT, 'output["loss"].backward()', 'not isinstance(output["loss"], Pointer)', OF_ENTRY),
        (DICT, 'output["loss"].backward()', 'torch.is_tensor(output["loss"])', OF_ENTRY),
        (DICT, 'output["loss"].backward()', 'isinstance(output["loss"], torch.Tensor)', OF_ENTRY),
        ("output = model(batch)", "output.backward()", "not isinstance(output, Pointer)", "output = output.detach()"),
        ("output = model(batch).sum()", "output.backward()", "torch.is_tensor(output)", "output = output.item()"),
    ],
)
def test_what_is_no_tensor_is_kept_without_a_graph(output: str, backward: str, test: str, then: str) -> None:
    assert reported(output, backward, test, then) == []


@pytest.mark.parametrize(
    ("output", "backward", "test"),
    [
        (DICT, 'output["loss"].backward()', 'isinstance(output["loss"], Pointer)'),
        ("output = model(batch).sum()", "output.backward()", "not torch.is_tensor(output)"),
    ],
)
def test_what_is_a_tensor_is_kept_with_its_graph(output: str, backward: str, test: str) -> None:
    assert reported(output, backward, test, "output = None") == ["LL401"]


MOVED = """\
import torch


def place(entries, device):
    placed = []
    for entry in entries:
        {test}
            {drop}
        placed.append(entry)
    return placed
"""


@pytest.mark.parametrize(
    ("test", "drop", "expected"),
    [
        ("if isinstance(entry, torch.Tensor):", "entry.to(device)", ["LL503"]),
        ("if torch.is_tensor(entry) and entry.ndim > 1:", "entry.cuda()", ["LL503"]),
        ("if isinstance(entry, (torch.Tensor, torch.FloatTensor)):", "entry.float()", ["LL503"]),
        ("if isinstance(entry, dict):", "entry.to(device)", []),
        ("if not isinstance(entry, torch.Tensor):", "entry.to(device)", []),
        ("if hasattr(entry, 'to'):", "entry.to(device)", []),
    ],
)
def test_what_a_test_says_is_a_tensor_is_one(test: str, drop: str, expected: list[str]) -> None:
    assert [f.code for f in looplint.lint(MOVED.format(test=test, drop=drop), isolated=True)] == expected


METER = """
class Meter:
    def __init__(self):
        self.total = 0.0

    def step(self, x):
        {made}
        self.total = 0.9 * self.total + 0.1 * x{mark}

meter = Meter()
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
    meter.step(loss)
"""


@pytest.mark.parametrize(
    ("made", "mark"),
    [
        ("x = x.detach().cpu().numpy() if torch.is_tensor(x) else x", ""),
        ("x = x if not torch.is_tensor(x) else x.detach()", ""),
        ("x = x if torch.is_tensor(x) else torch.tensor(x)", "  # expect: LL402"),
    ],
)
def test_a_choice_by_what_is_a_tensor_is_made(made: str, mark: str) -> None:
    assert_marked(METER.replace("{made}", made).replace("{mark}", mark))
