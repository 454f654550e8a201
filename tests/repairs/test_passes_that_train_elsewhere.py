"""LL303's repair leaves out of `no_grad` what trains by its name out of sight; LL503's gives no rows of a tensor back to it."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
from torch import nn
from lib import build, Attack


def main(loader, valid, device):
    net = nn.Linear(3, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    wrapped = build()
    for x, y in valid:
        BESIDE
        net.eval()
        print((net(x).argmax(1) == y).sum().item())
"""


def line_of_the_pass(beside: str) -> str:
    """What stands right below `torch.no_grad()` in the repaired program."""
    fixed = looplint.fix(PROGRAM.replace("BESIDE", beside), select=["LL303"], unsafe=True, isolated=True)
    assert fixed.text is not None
    rows = fixed.text.splitlines()
    return rows[next(n for n, row in enumerate(rows) if "torch.no_grad()" in row) + 1].strip()


@pytest.mark.parametrize("beside", ["wrapped._train(epochs=3)", "wrapped.train(x, y)", "wrapped.fit(x)", "wrapped.net.optimize(x, y, 10)"])
def test_what_trains_by_its_name_keeps_its_gradients(beside: str) -> None:
    assert line_of_the_pass(beside).startswith("print(")


@pytest.mark.parametrize("beside", ["wrapped.train()", "wrapped.train(False)", "wrapped.show(x)", "wrapped.train_loader.reset()"])
def test_what_does_not_is_a_part_of_the_pass(beside: str) -> None:
    assert line_of_the_pass(beside) == "for x, y in valid:"


@pytest.mark.parametrize(("receiver", "repairable"), [("x[ids(y)]", False), ("x[y > 0]", False), ('batch["x"]', True)])
def test_rows_of_a_tensor_are_not_given_back(receiver: str, repairable: bool) -> None:
    text = f"import torch\n\n\ndef main(loader, device, ids):\n    for i, (x, y, xs, batch) in enumerate(loader):\n        {receiver}.cuda()\n        print(torch.relu({receiver}))\n"
    found = [f for f in looplint.lint(text, isolated=True) if f.code == "LL503"]
    assert all((f.fix is not None) == repairable for f in found)
    assert found or not repairable
